import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { descriptionOf, parsePage, readPages } from '../docs/.vitepress/site/pages.js';
import { EVENT_NAMES } from '../lib/events/catalog.js';
import { readCommand } from '../src/cli/read-command.js';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const under = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .flatMap((entry) => (entry.isDirectory() ? under(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]));
const site = readPages();
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  'bench/README.md',
  'conformance/README.md',
  'test/support/README.md',
  ...readdirSync(join(root, 'sample'))
    .filter((name) => /^\d/.test(name))
    .map((name) => `sample/${name}/README.md`),
  ...site.map(({ path }) => `docs/${path}`),
];
const sources = [...under('lib'), ...under('src')].filter((path) => path.endsWith('.ts'));
const code = sources.map((path) => read(path)).join('\n');

/** Removes code blocks and inline code, whose brackets are no links. */
const withoutCode = (markdown: string) => markdown.replaceAll(/^ *(```+).*?^ *\1$|(?<!`)(`+)(?!`).*?\2/gms, '');

/** Returns the anchors of a Markdown file. */
function anchorsOf(path: string): Set<string> {
  const known = anchors.get(path) ?? new Set(parsePage(path, read(path)).sections.map(({ anchor }) => anchor));
  anchors.set(path, known);
  return known;
}

const anchors = new Map<string, Set<string>>();

/** Returns the text of a section of the second level. Empty if the page has no such section. */
const sectionOf = (page: string, title: string) => read(page).split(`\n## ${title}\n`)[1]?.split(/^## /m)[0] ?? '';

const FEATURE_PAGES = site
  .map(({ path }) => `docs/${path}`)
  .filter((path) => path.startsWith('docs/reference/features/'));

/** The headings of a page in `docs/reference/features`, in their order. A page may omit headings and have others. */
const FEATURE_HEADINGS = [
  'When you need it',
  'Switch it on',
  'What the model needs',
  'Options',
  'Requests and responses',
  'Events',
  'Errors',
];

/** Returns the functions that make features, each with the name of the interface of its options. */
function featureFunctions(): Map<string, string | undefined> {
  const declaration =
    /^export function (\w+)\((?:(?:\{[^}]*\}|\w+): (\w+)[^)]*)?\): (?:Feature|readonly Feature\[\]|Pages) \{/gm;
  const folders = ['lib/features/', 'lib/jose/', 'lib/openid/', 'lib/profiles/', 'src/pages/', 'src/accounts/'];
  const files = sources.filter((path) => folders.some((folder) => path.startsWith(folder)));
  return new Map(files.flatMap((path) => [...read(path).matchAll(declaration)].map(([, name, type]) => [name!, type])));
}

/** Returns the names of the members of an interface, including those of the interfaces that it extends. */
function membersOf(type: string): string[] {
  const pattern = new RegExp(
    `export (?:interface|type) ${type}\\b(?: extends ([^{]*)| = (\\w+);)? ?(?:\\{(.*?)\\n\\})?`,
    's',
  );
  const [, extended = '', alias, body = ''] = pattern.exec(code) ?? [];
  const own = [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(<]/gm)].map(([, name]) => name!);
  const others = [...extended.split(/[ ,]+/), alias].filter(Boolean) as string[];
  return [...own, ...others.flatMap((other) => membersOf(other))];
}

describe('the documentation', () => {
  it('has no dead links', () => {
    const dead = pages.flatMap((page) =>
      [...withoutCode(read(page)).matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/g)]
        .filter(([, path]) => !/^[a-z]+:/.test(path!))
        .filter(([, path, anchor]) => {
          const at = path === '' ? page : join(page, '..', path!);
          if (!existsSync(join(root, at))) return true;
          if (anchor === undefined || !at.endsWith('.md')) return false;
          return !anchorsOf(at).has(anchor);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  it('has each page except the home page in one of its parts', () => {
    expect(site.filter(({ part }) => part === undefined).map(({ path }) => path)).toEqual(['index.md']);
  });

  it('describes each page by a sentence of its own', () => {
    const sentences = site.map((page) => descriptionOf(page) ?? '');
    expect(sentences.filter((text) => !/^[\w`].+[.?]$/.test(text))).toEqual([]);
    expect(sentences.filter((text, index) => sentences.indexOf(text) < index)).toEqual([]);
  });

  it('begins each page with its only heading of the first level', () => {
    const tops = site.map(({ path, sections }) => [path, sections.findIndex(({ titles }) => titles.length === 1)]);
    expect(tops.filter(([, index]) => index !== 0)).toEqual([]);
    const several = site.filter(({ sections }) => sections.filter(({ titles }) => titles.length === 1).length > 1);
    expect(several.map(({ path }) => path)).toEqual([]);
  });

  it('names each member of the Feature interface', () => {
    const section = read('docs/reference/features/own-feature.md');
    const members = [...membersOf('Feature'), ...membersOf('Installed')];
    expect(members.length).toBeGreaterThan(20);
    expect(members.filter((name) => !new RegExp(`^\\| .*\`${name}\\b`, 'm').test(section))).toEqual([]);
  });

  it('names only existing files in docs/reference/standards.md', () => {
    const files = [...sources, ...under('test'), ...under('conformance')];
    const named = [...read('docs/reference/standards.md').matchAll(/`([\w./-]+\.ts|(?:lib|src|test)\/[\w./-]+)`/g)];
    const known = (path: string) => existsSync(join(root, path)) || files.some((file) => file.endsWith(`/${path}`));
    expect(named.length).toBeGreaterThan(100);
    expect(named.map(([, path]) => path!).filter((path) => !known(path))).toEqual([]);
  });

  it('lists each source folder in the tree of docs/explanation/architecture.md', () => {
    const tree = read('docs/explanation/architecture.md')
      .split('```')
      .find((block) => block.startsWith('text\nlib/'));
    const named = new Set([...tree!.matchAll(/^ *(\S+)\/ /gm)].map(([, name]) => name!));
    const folders = new Set(sources.map((path) => dirname(path)));
    const deeper = (folder: string) => folder.split('/').length > 2 && !folder.startsWith('lib/endpoints/');
    expect([...folders].filter((folder) => !deeper(folder) && !named.has(basename(folder)))).toEqual([]);
  });

  it('links the page of each feature in docs/reference/features.md', () => {
    const functions = [...featureFunctions().keys()];
    expect(functions.length).toBeGreaterThan(25);
    const overview = read('docs/reference/features.md');
    expect(functions.filter((name) => !overview.includes(`[\`${name}()\`](features/`))).toEqual([]);
  });

  it('lists each option of a feature in a table of its page', () => {
    const overview = read('docs/reference/features.md');
    const missing = [...featureFunctions()].flatMap(([name, type]) => {
      const [, page] = new RegExp(`\\[\`${name}\\(\\)\`\\]\\((features/[\\w-]+\\.md)`).exec(overview)!;
      const rows = read(`docs/reference/${page}`).match(/^\| [^|]*/gm)!;
      return (type ? membersOf(type) : [])
        .filter((option) => !rows.some((row) => row.includes(`\`${option}\``)))
        .map((option) => `${page}: ${option}`);
    });
    expect(missing).toEqual([]);
  });

  it('has the headings of each feature page in the same order', () => {
    const wrong = FEATURE_PAGES.filter((page) => {
      const headings = [...read(page).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
      const found = headings.filter((heading) => FEATURE_HEADINGS.includes(heading));
      return found.join() !== FEATURE_HEADINGS.filter((heading) => found.includes(heading)).join();
    });
    expect(wrong).toEqual([]);
  });

  it('names only events that exist on feature pages', () => {
    const unknown = FEATURE_PAGES.flatMap((page) =>
      [...sectionOf(page, 'Events').matchAll(/^\| (`[^|]*)/gm)]
        .flatMap(([, cell]) => [...cell!.matchAll(/`([^`]*)`/g)].map(([, name]) => name!))
        .filter((name) => !(EVENT_NAMES as readonly string[]).includes(name))
        .map((name) => `${page}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('lists each command and its options in docs/reference/cli.md', () => {
    const namesIn = (help: string) => [...help.matchAll(/^ {2}(\S.*?)(?: {2,}|$)/gm)].map(([, name]) => name!);
    const commands = namesIn(readCommand(['--help']).help);
    const options = commands.flatMap((command) => {
      const [name] = command.split(/ [<[]/);
      return namesIn(readCommand([...name!.split(' '), '--help']).help).filter((option) => option.startsWith('--'));
    });
    const page = read('docs/reference/cli.md');
    expect([...commands, ...options].filter((name) => !page.includes(`| \`${name}\``))).toEqual([]);
  });

  it('describes each decorator in docs/reference/decorators.md', () => {
    const decorators = sources.filter((path) => path.startsWith('src/decorators/')).map((path) => read(path));
    const exported = decorators.join('\n').matchAll(/^export (?:const|function) ([A-Z][a-z]\w*)\b/gm);
    const names = [...exported].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(15);
    const page = read('docs/reference/decorators.md');
    expect(names.filter((name) => !page.includes(`@${name}(`))).toEqual([]);
  });
});
