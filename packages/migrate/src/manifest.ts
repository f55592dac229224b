import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { lineBreakOf } from './edits.js';
import { namedPackages, OLD_PACKAGES } from './old-packages.js';

const SECTIONS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
const ALL_SECTIONS = [...SECTIONS, 'peerDependencies'] as const;

type Section = (typeof ALL_SECTIONS)[number];
type Manifest = { [section in Section]?: Record<string, string> } & Record<string, unknown>;

const PACKAGE = 'nest-oauth2';

/** The facts about the files to which a `package.json` applies. */
export interface ManifestUse {
  /** The old packages that files still name after the migration. */
  readonly used: ReadonlySet<string>;
  /** Whether the migration changes a file. */
  readonly isMigrated: boolean;
  /** Whether `nest-oauth2` is added if the manifest does not list it. */
  readonly isAdded: boolean;
}

/** Parses a `package.json`. Returns `undefined` if it is not a JSON object. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the version range of a package in a manifest. */
export const rangeOf = (manifest: Manifest, name: string): string | undefined =>
  ALL_SECTIONS.map((section) => manifest[section]?.[name]).find((range) => typeof range === 'string');

/** Whether a manifest lists an old package. */
export const listsOldPackage = (manifest: Manifest): boolean =>
  Object.keys(OLD_PACKAGES).some((name) => rangeOf(manifest, name) !== undefined);

/**
 * Returns the text of a `package.json` after the migration. An old package is removed only if no file uses it, and an
 * engine also only if no wrapper remains, because wrappers load it.
 */
export function migrateManifest(text: string, { used, isMigrated, isAdded }: ManifestUse): string {
  const manifest = parseManifest(text);
  if (!manifest) return text;
  const named = new Set([...used, ...namedElsewhere(manifest)]);
  const hasWrapper = [...named].some((name) => OLD_PACKAGES[name]!.kind !== 'engine');
  const isListed = rangeOf(manifest, PACKAGE) !== undefined;
  let added: Section | undefined;
  let isChanged = false;
  for (const name of Object.keys(OLD_PACKAGES)) {
    const section = SECTIONS.find((one) => manifest[one]?.[name] !== undefined);
    if (section !== undefined && (added === undefined || section === 'dependencies')) added = section;
    const isUsed = named.has(name) || (OLD_PACKAGES[name]!.kind === 'engine' && hasWrapper);
    if (isUsed || !(isMigrated || isListed)) continue;
    for (const one of SECTIONS)
      for (const removed of [name, `@types/${name}`])
        if (manifest[one]?.[removed] !== undefined) {
          delete manifest[one][removed];
          isChanged = true;
        }
  }
  if (isAdded && !isListed) {
    const section = added ?? 'dependencies';
    manifest[section] = withPackage(manifest[section] ?? {});
    isChanged = true;
  }
  return isChanged ? formatLike(text, manifest) : text;
}

/** Returns the old packages that other parts of a manifest name, such as scripts or the settings of Jest. */
function namedElsewhere(manifest: Manifest): string[] {
  const { dependencies: _1, devDependencies: _2, optionalDependencies: _3, peerDependencies, ...rest } = manifest;
  const text = JSON.stringify({ ...rest, scripts: undefined });
  const scripts = Object.values((rest['scripts'] ?? {}) as Record<string, unknown>).map(String);
  const inScripts = Object.keys(OLD_PACKAGES).filter((name) =>
    scripts.some((script) => script.split(/[\s"'=:,/\\]+/).includes(name) || script.includes(`node_modules/${name}`)),
  );
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => Object.hasOwn(OLD_PACKAGES, name));
  return [...namedPackages(text), ...inScripts, ...peers];
}

function withPackage(section: Record<string, string>): Record<string, string> {
  const names = Object.keys(section);
  const isSorted = names.every((name, index) => index === 0 || names[index - 1]! <= name);
  const entries = [...Object.entries(section), [PACKAGE, `^${ownVersion()}`] as const];
  return Object.fromEntries(isSorted ? entries.toSorted(([a], [b]) => (a < b ? -1 : 1)) : entries);
}

/** Returns the version of this package, which is that of the nest-oauth2 to install. */
export function ownVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** Returns a manifest as text, with the indentation and line breaks of the previous text. */
function formatLike(before: string, manifest: Manifest): string {
  const [indent = '  '] = /(?<=\n)[ \t]+(?=")/.exec(before) ?? [];
  const end = /\s*$/.exec(before)![0];
  const start = before.startsWith('\uFEFF') ? '\uFEFF' : '';
  return start + JSON.stringify(manifest, null, indent).replaceAll('\n', lineBreakOf(before)) + end;
}
