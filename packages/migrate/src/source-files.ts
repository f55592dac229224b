import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { GUIDE } from './guide.js';
import { namedPackages } from './old-packages.js';
import type { Note } from './source.js';

/** The largest file that is read, in bytes. Larger files are usually bundles or data. */
const MAX_SIZE = 2_000_000;

const SKIPPED = new Set(['node_modules', 'bower_components', 'dist', 'build', 'out', 'coverage', 'vendor']);
const LOCK_FILES = new Set(['package-lock.json', 'npm-shrinkwrap.json', 'package.json']);
const SOURCE = /\.[cm]?[jt]sx?$/;

/** A file that names an old package. */
export interface FoundFile {
  /** The path relative to the migrated folder, with `/`. */
  readonly file: string;
  readonly text: string;
  readonly isReadOnly: boolean;
}

/** The files of an application that name old packages. */
export interface FoundFiles {
  readonly sources: readonly FoundFile[];
  /** Other files that name old packages, such as `tsconfig.json`, with the packages. */
  readonly others: readonly FoundFile[];
  /** The folders with a `package.json`, relative to the migrated folder. */
  readonly manifests: readonly string[];
  /** Files that were not read, so that their uses of old packages are unknown. */
  readonly notes: readonly Note[];
}

/**
 * Finds the files below a folder that name old packages. Skips hidden folders, installed packages and output of builds,
 * and never follows a symbolic link.
 */
export function findFiles(root: string): FoundFiles {
  const found = {
    sources: [] as FoundFile[],
    others: [] as FoundFile[],
    manifests: [] as string[],
    notes: [] as Note[],
  };
  const real = realpathSync(root);
  const unread = (path: string, reason: string) =>
    found.notes.push({ file: nameIn(root, path), kind: 'left', reason, link: GUIDE.command });
  const visit = (folder: string) => {
    const skipped = new Set([...SKIPPED, ...outputOf(folder)]);
    let entries;
    try {
      entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      unread(folder, `The folder cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
      return;
    }
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) {
        if (!skipped.has(entry.name) && leavesRoot(path, real))
          unread(path, 'A symbolic link leaves the folder. It was not followed.');
      } else if (entry.isDirectory()) {
        if (!skipped.has(entry.name) && !entry.name.startsWith('.')) visit(path);
      } else if (entry.isFile()) read(path, entry.name);
    }
  };
  const read = (path: string, name: string) => {
    if (name === 'package.json') found.manifests.push(nameIn(root, join(path, '..')));
    const isSource = SOURCE.test(name);
    if (!isSource && (!name.endsWith('.json') || LOCK_FILES.has(name))) return;
    try {
      const { size, mode } = lstatSync(path);
      if (size > MAX_SIZE) {
        if (isSource) unread(path, `The file is larger than ${MAX_SIZE / 1_000_000} MB. It was not read.`);
        return;
      }
      const bytes = readFileSync(path);
      const text = bytes.toString();
      if (namedPackages(text).length === 0) return;
      if (!Buffer.from(text).equals(bytes)) {
        unread(path, 'The file is not encoded as UTF-8.');
        return;
      }
      const file = { file: nameIn(root, path), text, isReadOnly: (mode & 0o222) === 0 };
      found[isSource ? 'sources' : 'others'].push(file);
    } catch (error) {
      unread(path, `The file cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
    }
  };
  visit(root);
  return found;
}

const nameIn = (root: string, path: string) => relative(root, path).split(sep).join('/');

/** Whether a link to a source file or folder points to a place outside of the folder. A broken link does not count. */
function leavesRoot(path: string, root: string): boolean {
  try {
    const target = realpathSync(path);
    const isInside = target === root || target.startsWith(root.endsWith(sep) ? root : root + sep);
    return !isInside && (statSync(path).isDirectory() || SOURCE.test(path));
  } catch {
    return false;
  }
}

/** Returns the output folder that the `tsconfig.json` of a folder names. */
function outputOf(folder: string): string[] {
  try {
    const text = readFileSync(join(folder, 'tsconfig.json'), 'utf8');
    const [, output] = /"outDir"\s*:\s*"(?:\.\/)?([^"/]+)\/?"/.exec(text) ?? [];
    return output === undefined || output === '.' ? [] : [output];
  } catch {
    return [];
  }
}
