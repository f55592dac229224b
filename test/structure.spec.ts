import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');

/** The folders of the engine, the lowest first. A file may import from its own folder and from lower ones. */
const ORDER = [
  'errors',
  'crypto',
  'http',
  'model',
  'limits',
  'events',
  'options',
  'contracts',
  'tokens',
  'remote',
  'clients',
  'endpoints',
  'features',
  'jose',
  'openid',
  'profiles',
  'server',
  'stores',
  'adapter',
  'opentelemetry',
  'kit',
];

/** Known imports from a lower folder to a higher one. Remove a row when its import is gone. */
const KNOWN_UPWARD: readonly string[] = [];

const filesOf = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file.split(sep).join('/')}`)
    .toSorted();

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Returns the relative imports of a file, including type imports, as paths from the root. */
function importsOf(file: string): readonly string[] {
  const found = read(file).matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g);
  return [...found].map(([, path]) =>
    normalize(join(dirname(file), path!))
      .split(sep)
      .join('/'),
  );
}

const folderOf = (file: string) => /^lib\/([^/]+)\//.exec(file)?.[1];

describe('the folders of lib', () => {
  const files = filesOf('lib').filter((file) => folderOf(file) !== undefined);

  it('are exactly those in the list of layers', () => {
    expect(new Set(files.map(folderOf))).toEqual(new Set(ORDER));
  });

  it('import nothing from a higher layer, including types', () => {
    const upward = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => {
          const folder = folderOf(target);
          // The entry `lib/index.ts` is above all folders.
          return folder === undefined || ORDER.indexOf(folder) > ORDER.indexOf(folderOf(file)!);
        })
        .map((target) => `${file} → ${target}`),
    );
    expect(upward).toEqual(KNOWN_UPWARD);
  });

  it('look up what features provide by keys, not by member names', () => {
    const searches = [...files, ...filesOf('src')].filter((file) => /'\w+' in (?:one|feature)\b/.test(read(file)));
    expect(searches).toEqual([]);
  });
});
