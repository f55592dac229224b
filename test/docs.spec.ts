import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const under = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? under(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
  );
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  ...under('docs').filter((path) => path.endsWith('.md')),
];
const sources = [...under('lib'), ...under('src')].filter((path) => path.endsWith('.ts'));

/** Returns the anchor that GitHub generates for a heading. */
const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-');

describe('the documentation', () => {
  it('has no dead links', () => {
    const dead = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g)]
        .filter(([, path]) => !/^[a-z]+:/.test(path!))
        .filter(([, path, anchor]) => {
          const at = path === '' ? page : join(page, '..', path!);
          if (!existsSync(join(root, at))) return true;
          if (anchor === undefined || !at.endsWith('.md')) return false;
          return ![...read(at).matchAll(/^#+ (.*)$/gm)].some(([, heading]) => anchorOf(heading!) === anchor);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  it('names each member of the Feature interface', () => {
    const contract = read('lib/contracts/feature.ts');
    const membersOf = (type: string) => {
      const [, body] = new RegExp(`export interface ${type}\\b.*?\\{(.*?)\\n\\}`, 's').exec(contract)!;
      return [...body!.matchAll(/^ {2}(?:readonly )?(\w+)\??[(:<]/gm)].map(([, name]) => name!);
    };
    const section = read('docs/features.md').split('## A feature of your own')[1]!;
    const members = [...membersOf('Feature'), ...membersOf('Installed')];
    expect(members.length).toBeGreaterThan(20);
    expect(members.filter((name) => !new RegExp(`^\\| .*\`${name}\\b`, 'm').test(section))).toEqual([]);
  });

  it('names only existing files in docs/standards.md', () => {
    const files = [...sources, ...under('test'), ...under('conformance')];
    const named = [...read('docs/standards.md').matchAll(/`([\w./-]+\.ts|(?:lib|src|test)\/[\w./-]+)`/g)];
    const known = (path: string) => existsSync(join(root, path)) || files.some((file) => file.endsWith(`/${path}`));
    expect(named.length).toBeGreaterThan(100);
    expect(named.map(([, path]) => path!).filter((path) => !known(path))).toEqual([]);
  });

  it('lists each source folder in the tree of docs/architecture.md', () => {
    const tree = read('docs/architecture.md')
      .split('```')
      .find((block) => block.startsWith('\nlib/'));
    const named = new Set([...tree!.matchAll(/^ *(\S+)\/ /gm)].map(([, name]) => name!));
    const folders = new Set(sources.map((path) => dirname(path)));
    const deeper = (folder: string) => folder.split('/').length > 2 && !folder.startsWith('lib/endpoints/');
    expect([...folders].filter((folder) => !deeper(folder) && !named.has(basename(folder)))).toEqual([]);
  });
});
