import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { parseManifest, rangeOf } from './manifest.js';

const read = (path: string) => {
  try {
    return parseManifest(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
};

/** Returns the folder and all folders above it, the innermost first. */
function withParents(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

/** Whether the nearest `package.json` of a folder has `"type": "module"`. */
export function isModulePackage(folder: string): boolean {
  const path = withParents(folder)
    .map((one) => join(one, 'package.json'))
    .find((one) => existsSync(one));
  return path !== undefined && read(path)?.['type'] === 'module';
}

/**
 * Returns the major version of a package for the files of a folder: from the range in the nearest `package.json`, else
 * from the installed package. `undefined` if neither names a version.
 */
export function majorOf(name: string, folder: string): number | undefined {
  const folders = withParents(folder);
  for (const one of folders) {
    const manifest = read(join(one, 'package.json'));
    const major = manifest && majorIn(rangeOf(manifest, name));
    if (major !== undefined) return major;
  }
  for (const one of folders) {
    const version = read(join(one, 'node_modules', name, 'package.json'))?.['version'];
    const major = typeof version === 'string' ? majorIn(version) : undefined;
    if (major !== undefined) return major;
  }
  return undefined;
}

/** Returns the major version of a range such as `^5.3.0`, `npm:fork@5` or `5.x`. */
function majorIn(range: string | undefined): number | undefined {
  const [, major] = /^(?:npm:.*@|workspace:)?[\^~>=v\s]*(\d+)/.exec(range ?? '') ?? [];
  return major === undefined ? undefined : Number(major);
}
