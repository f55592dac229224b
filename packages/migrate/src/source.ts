import type { GuideLink } from './guide.js';
import { type Edit, lineAt } from './edits.js';
import type { Visited } from './syntax.js';

/** A place in a file that the user must look at. */
export interface Note {
  readonly file: string;
  /** The line, from 1. `undefined` if the note is about the whole file. */
  readonly line?: number;
  /**
   * `left`: the command did not rewrite the place. `check`: it did, and the result may need a change. `failed`: the file
   * cannot be written.
   */
  readonly kind: 'left' | 'check' | 'failed';
  readonly reason: string;
  readonly link: GuideLink;
}

/** A file to create, with the middleware of `express-oauth-server`. */
export interface ExpressModule {
  /** The ending of the file name. */
  readonly extension: string;
  readonly syntax: 'cjs' | 'esm' | 'ts';
}

/** A parsed source file, with the edits and notes that the rewriting functions add. */
export interface Source {
  /** The path relative to the migrated folder, with `/`. */
  readonly file: string;
  readonly text: string;
  readonly nodes: readonly Visited[];
  readonly isTypeScript: boolean;
  readonly edits: Edit[];
  readonly notes: Note[];
  /** Whether models of the package, in the version of the application, have scopes as arrays. */
  hasArrayScopes(name: string): boolean;
  /** Returns the module name of the file with the Express middleware, and plans the file. */
  expressModule(): string;
}

/** Replaces the text from `start` to `end`. */
export function replace(source: Source, start: number, end: number, text: string): void {
  source.edits.push({ start, end, text });
}

/** Adds a note about the place at an offset. */
export function note(source: Source, offset: number, kind: Note['kind'], reason: string, link: GuideLink): void {
  const { file, text, notes } = source;
  const line = lineAt(text, offset);
  const isKnown = notes.some((one) => one.line === line && one.reason === reason);
  if (!isKnown) notes.push({ file, line, kind, reason, link });
}
