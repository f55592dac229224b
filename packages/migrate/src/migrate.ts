import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { gitWarning } from './git-status.js';
import { GUIDE } from './guide.js';
import { type Change, planMigration } from './plan.js';
import type { Note } from './source.js';
import { unifiedDiff } from './unified-diff.js';
import { writeFileAtomically } from './write-file.js';

/** The result of a migration: a value for `--json`, and lines of text. */
export interface MigrationResult {
  readonly value: {
    /** The changed and created files, relative to the folder. */
    readonly changed: readonly string[];
    readonly notes: readonly Note[];
    /** The changes as a unified diff. Set for a dry run. */
    readonly diff?: string;
    /** Why the changes cannot be undone with git. */
    readonly warning?: string;
  };
  readonly lines: readonly string[];
  /** Whether a file could not be written. */
  readonly isFailed: boolean;
}

/** An error that is shown without a stack trace. */
export class MigrationError extends Error {}

/**
 * Migrates the application in a folder from other OAuth 2.0 servers for Node.
 * @param isDryRun whether the changes are only returned as a unified diff, and nothing is written
 * @throws {MigrationError} If there is no such folder.
 */
export async function migrate(folder: string, isDryRun: boolean): Promise<MigrationResult> {
  const root = resolve(folder);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    throw new MigrationError(`There is no folder ${folder}`);
  return isDryRun ? preview(root) : await rewrite(root);
}

function preview(root: string): MigrationResult {
  const { changes: sources, notes: found, manifests } = planMigration(root);
  const { changes, notes: more } = manifests(new Set());
  const [all, notes] = [
    [...sources, ...changes],
    [...found, ...more],
  ];
  const diffs = all.map(({ file, before, edits }) => unifiedDiff(file, before, edits));
  const value = { changed: all.map(({ file }) => file), notes, diff: diffs.join('\n') };
  const lines = [...diffs, ...(diffs.length > 0 ? [''] : ['Nothing to change.']), ...noteLines(notes)];
  return { value, lines, isFailed: hasFailure(notes) };
}

async function rewrite(root: string): Promise<MigrationResult> {
  const warning = gitWarning(root);
  const plan = planMigration(root);
  const failures: Note[] = [];
  const written = await writeAll(root, plan.changes, failures);
  // A middleware file that is missing breaks the files that import it, so the manifest stays until the next run.
  const manifests = plan.manifests(new Set(failures.map(({ file }) => file)));
  const all = [...written, ...(await writeAll(root, manifests.changes, failures))];
  const notes = [...plan.notes, ...failures, ...manifests.notes];
  const lines = all.map(({ file, before }) => `${before === undefined ? 'created' : 'changed'}  ${shown(file)}`);
  const next = ['', 'Next: install the dependencies, run the tests, and read', `  ${GUIDE.checks}`];
  if (notes.length === 0) next.push(WHERE);
  return {
    value: { changed: all.map(({ file }) => file), notes, ...(warning !== undefined && { warning }) },
    isFailed: hasFailure(notes),
    lines: [
      ...(warning !== undefined && all.length > 0 ? [warning, ''] : []),
      ...(lines.length > 0 ? lines : ['Nothing to change.']),
      ...(notes.length > 0 ? [''] : []),
      ...noteLines(notes),
      ...(lines.length > 0 ? next : []),
    ],
  };
}

/** Writes changes one after the other. New files come first: if one fails, the files that import it are not written. */
async function writeAll(root: string, changes: readonly Change[], failures: Note[]): Promise<Change[]> {
  const written: Change[] = [];
  for (const change of changes) {
    const { file, before, after } = change;
    try {
      const isMissing = failures.some((one) => changes.find((other) => other.file === one.file)?.before === undefined);
      if (isMissing) throw new Error('A file that it may import could not be created.');
      await writeFileAtomically(join(root, file), before, after);
      written.push(change);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = `The file cannot be written: ${code ?? message}`;
      failures.push({ file, kind: 'failed', reason, link: GUIDE.command });
    }
  }
  return written;
}

function noteLines(notes: readonly Note[]): string[] {
  const of = (kind: Note['kind'], title: string) => {
    const chosen = notes.filter((one) => one.kind === kind);
    return chosen.length === 0 ? [] : [title, ...chosen.flatMap(noteLine)];
  };
  const lines = [
    ...of('left', 'Not rewritten:'),
    ...of('check', 'Check these places:'),
    ...of('failed', 'Not written:'),
  ];
  return lines.length > 0 ? [...lines, '', WHERE] : [];
}

const WHERE =
  'Paths in docs/ are pages of the source repository of nest-oauth2. The npm package does not contain them.';

const hasFailure = (notes: readonly Note[]) => notes.some(({ kind }) => kind === 'failed');

const noteLine = ({ file, line, reason, link }: Note) => [
  shown(`  ${file}${line === undefined ? '' : `:${line}`}  ${reason}`),
  `    ${link}`,
];

/** Replaces control and format characters of a file name or source text, which could change what a terminal shows. */
const shown = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
