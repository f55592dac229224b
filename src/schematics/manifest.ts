import type { Manifest } from './application.js';
import { readText, type Tree, writeText } from './tree.js';

/** The additions of a schematic to `package.json`. */
export interface ManifestAdditions {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  scripts: Record<string, string>;
}

/** Adds the entries that do not exist yet, ordered by name as npm does. */
function withMissing(old: Record<string, string> = {}, added: Record<string, string>, sorted: boolean) {
  const entries = Object.entries({ ...added, ...old });
  const kept = Object.keys(old);
  const missing = Object.entries(added).filter(([name]) => !kept.includes(name));
  if (missing.length === 0) return old;
  return Object.fromEntries(
    sorted ? entries.toSorted(([one], [other]) => (one < other ? -1 : 1)) : [...Object.entries(old), ...missing],
  );
}

/**
 * Adds dependencies and scripts to `package.json`. Existing entries stay.
 * @returns whether a dependency was added
 */
export function extendManifest(tree: Tree, additions: ManifestAdditions): boolean {
  const text = readText(tree, 'package.json')!;
  const manifest = JSON.parse(text) as Manifest;
  const isNew = ([name]: [string, string]) => !manifest.dependencies?.[name] && !manifest.devDependencies?.[name];
  const added = (packages: Record<string, string>) => Object.fromEntries(Object.entries(packages).filter(isNew));
  const [dependencies, devDependencies] = [added(additions.dependencies), added(additions.devDependencies)];
  const sections: [keyof ManifestAdditions, Record<string, string>][] = [
    ['scripts', additions.scripts],
    ['dependencies', dependencies],
    ['devDependencies', devDependencies],
  ];
  for (const [name, entries] of sections) {
    if (Object.keys(entries).length > 0) manifest[name] = withMissing(manifest[name], entries, name !== 'scripts');
  }
  const indent = /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? '  ';
  const changed = `${JSON.stringify(manifest, null, indent)}${text.endsWith('\n') ? '\n' : ''}`;
  if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(manifest)) writeText(tree, 'package.json', changed);
  return Object.keys(dependencies).length + Object.keys(devDependencies).length > 0;
}
