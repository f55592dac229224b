import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

import { applyEdits, type Edit, editBetween, lineAt } from './edits.js';
import { ExpressFiles } from './express-files.js';
import { GUIDE } from './guide.js';
import { isModulePackage, majorOf } from './installed-version.js';
import { listsOldPackage, migrateManifest, parseManifest } from './manifest.js';
import { namedPackages } from './old-packages.js';
import { type FileContext, rewriteFile } from './rewrite-file.js';
import type { Note } from './source.js';
import { findFiles, type FoundFile, type FoundFiles } from './source-files.js';

/** A planned change of a file. */
export interface Change {
  /** The path relative to the migrated folder, with `/`. */
  readonly file: string;
  /** The current text. `undefined` for a new file. */
  readonly before: string | undefined;
  readonly edits: readonly Edit[];
  readonly after: string;
}

/** The changes that the migration would make in an application. */
export interface Plan {
  /** The changes of source files, new files first. */
  readonly changes: readonly Change[];
  readonly notes: readonly Note[];
  /**
   * Returns the changes of `package.json` files.
   * @param failed the source files that could not be written.
   */
  readonly manifests: (failed: ReadonlySet<string>) => {
    readonly changes: readonly Change[];
    readonly notes: readonly Note[];
  };
}

/** Finds out what the migration changes in a folder. Writes nothing. */
export function planMigration(root: string): Plan {
  const found = findFiles(root);
  const notes: Note[] = [...found.notes, ...found.others.map(namedIn)];
  const express = new ExpressFiles(root);
  const changes: Change[] = [];
  for (const source of found.sources) {
    const { file } = source;
    const owner = ownerOf(file, found.manifests) ?? '';
    // The middleware of a file that cannot be written is not created.
    const files = source.isReadOnly ? new ExpressFiles(root) : express;
    const context: FileContext = {
      majorOf: (name) => majorOf(name, join(root, posix.dirname(file))),
      isModulePackage: () => isModulePackage(join(root, posix.dirname(file))),
      expressModule: (module, importsExtensions) => files.moduleFor(file, owner, module, importsExtensions),
    };
    const change = changeOf(source, context, notes);
    if (change) changes.push(change);
  }
  const created = [...express.created].map(([file, after]) => newFile(file, after));
  return {
    changes: [...created, ...changes],
    notes,
    manifests: (failed) =>
      planManifests(
        root,
        found,
        changes.filter(({ file }) => !failed.has(file)),
      ),
  };
}

const newFile = (file: string, after: string): Change => ({
  file,
  before: undefined,
  edits: [{ start: 0, end: 0, text: after }],
  after,
});

function changeOf({ file, text, isReadOnly }: FoundFile, context: FileContext, notes: Note[]): Change | undefined {
  try {
    const { edits, notes: added } = rewriteFile(file, text, context);
    const after = applyEdits(text, edits);
    if (!isReadOnly || edits.length === 0) notes.push(...added);
    else notes.push({ file, kind: 'failed', reason: 'The file is read-only.', link: GUIDE.command });
    return isReadOnly || after === text ? undefined : { file, before: text, edits, after };
  } catch (error) {
    // The parser throws a `RangeError` if nested expressions exhaust its stack.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    const { line } = (error as { loc?: { line: number } }).loc ?? {};
    const reason = `The file cannot be parsed: ${error.message.split('\n')[0]}.`;
    notes.push({ file, ...(line !== undefined && { line }), kind: 'left', reason, link: GUIDE.command });
    return undefined;
  }
}

function namedIn({ file, text }: FoundFile): Note {
  const [name = ''] = namedPackages(text);
  const line = lineAt(text, text.indexOf(name));
  return { file, line, kind: 'left', reason: `The file names \`${name}\`.`, link: GUIDE.command };
}

const isBelow = (file: string, folder: string) => folder === '' || file.startsWith(`${folder}/`);

/** Returns the innermost folder with a `package.json` that contains the file. */
const ownerOf = (file: string, manifests: readonly string[]) =>
  manifests.filter((folder) => isBelow(file, folder)).toSorted((a, b) => b.length - a.length)[0];

function planManifests(root: string, found: FoundFiles, changes: readonly Change[]) {
  const rewritten = new Map(changes.map(({ file, after }) => [file, after]));
  const [edited, notes]: [Change[], Note[]] = [[], []];
  const manifests = found.manifests.map((folder) => {
    const file = posix.join(folder, 'package.json');
    const text = readFileSync(join(root, file), 'utf8');
    const lists = listsOldPackage(parseManifest(text) ?? {});
    return { folder, file, text, lists };
  });
  const receiverOf = (file: string) => {
    const above = manifests.filter(({ folder }) => isBelow(file, folder));
    const folders = (above.some(({ lists }) => lists) ? above.filter(({ lists }) => lists) : above).map(
      ({ folder }) => folder,
    );
    return ownerOf(file, folders);
  };
  const receivers = new Set(changes.map(({ file }) => receiverOf(file)));
  for (const { folder, file, text } of manifests) {
    const inside = [...found.sources, ...found.others].filter((one) => isBelow(one.file, folder));
    const used = new Set(inside.flatMap((one) => namedPackages(rewritten.get(one.file) ?? one.text)));
    const unread = found.notes.some((one) => isBelow(one.file, folder));
    const use = { used, isMigrated: changes.some((one) => isBelow(one.file, folder)), isAdded: receivers.has(folder) };
    const after = migrateManifest(text, unread ? { ...use, used: new Set(namedPackages(text)) } : use);
    if (parseManifest(text) === undefined)
      notes.push({ file, kind: 'left', reason: 'The file is not valid JSON.', link: GUIDE.command });
    if (after !== text) edited.push({ file, before: text, edits: editBetween(text, after), after });
  }
  if (receivers.has(undefined)) {
    const reason =
      'The `package.json` is outside of the migrated folder: replace the old packages by `nest-oauth2` there.';
    notes.push({ file: '.', kind: 'left', reason, link: GUIDE.command });
  }
  return { changes: edited, notes };
}
