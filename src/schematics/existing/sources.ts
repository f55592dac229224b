import { posix } from 'node:path';
import { readText, type Tree } from '../tree.js';

/** The texts of source files by their paths. */
export type Sources = ReadonlyMap<string, string>;

/** The name of an exported declaration, and the file that exports it. */
export interface Exported {
  name: string;
  file: string;
}

/** Reads the TypeScript files of a folder, without tests and without folders that an earlier run has written. */
export function readSources(tree: Tree, folder: string): Sources {
  const sources = new Map<string, string>();
  const folders = [folder];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    const { subdirs, subfiles } = tree.getDir(path);
    if (subfiles.includes('oauth.module.ts')) continue;
    for (const name of subdirs)
      if (name !== 'node_modules' && name !== 'generated') folders.push(posix.join(path, name));
    for (const name of subfiles) {
      if (!name.endsWith('.ts') || /\.(?:d|spec|e2e-spec|test)\.ts$/.test(name)) continue;
      const file = posix.join(path, name);
      sources.set(file, readText(tree, file) ?? '');
    }
  }
  return sources;
}

/** Returns the import specifier of a file, seen from a folder. */
export function specifierOf(file: string, folder: string, isEsm: boolean): string {
  const relative = posix.relative(folder, file.replace(/\.ts$/, ''));
  return `${relative.startsWith('.') ? '' : './'}${relative}${isEsm ? '.js' : ''}`;
}

/** Returns the first match of a pattern, with its file. */
export function findMatch(sources: Sources, pattern: RegExp): { file: string; match: RegExpExecArray } | undefined {
  for (const [file, text] of sources) {
    const match = pattern.exec(text);
    if (match) return { file, match };
  }
  return undefined;
}

/** Returns the text between a bracket and the one that closes it. */
export function insideBrackets(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if ('([{'.includes(text[at]!)) depth++;
    else if (')]}'.includes(text[at]!) && --depth === 0) return text.slice(start + 1, at);
  }
  return text.slice(start + 1);
}

/** Returns the Nest module that exports a provider. */
export function exportingModule(sources: Sources, provider: string): Exported | undefined {
  for (const [file, text] of sources) {
    for (const { index } of text.matchAll(/@Module\(/g)) {
      const start = text.indexOf('(', index);
      const metadata = insideBrackets(text, start);
      const list = metadata.search(/\bexports:\s*\[/);
      const exported = list === -1 ? '' : insideBrackets(metadata, metadata.indexOf('[', list));
      const name = /\bexport class (\w+)/.exec(text.slice(start + metadata.length))?.[1];
      if (name && new RegExp(`(?<![\\w'"])${escape(provider)}(?![\\w'"])`).test(exported)) return { name, file };
    }
  }
  return undefined;
}

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
