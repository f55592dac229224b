import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readText, type Tree } from './tree.js';

type Format = (text: string, path: string) => Promise<string>;

/** The part of prettier that formats the files. */
interface Prettier {
  format(text: string, options: object): Promise<string>;
  resolveConfig(path: string): Promise<object | null>;
  getFileInfo(path: string): Promise<{ inferredParser: string | null }>;
}

/** Returns a function that formats with the application's prettier, or changes nothing if there is none. */
async function formatterOf(folder: string): Promise<Format> {
  const prettier = await loadPrettier(folder);
  if (!prettier) return (text) => Promise.resolve(text);
  return async (text, path) => {
    const filepath = join(folder, path);
    const { inferredParser } = await prettier.getFileInfo(filepath);
    return inferredParser ? prettier.format(text, { ...(await prettier.resolveConfig(filepath)), filepath }) : text;
  };
}

async function loadPrettier(folder: string): Promise<Prettier | undefined> {
  try {
    const entry = createRequire(join(folder, 'package.json')).resolve('prettier');
    const loaded = (await import(pathToFileURL(entry).href)) as Prettier & { default?: Prettier };
    return loaded.default ?? loaded;
  } catch {
    return undefined;
  }
}

/** The files that a schematic creates, and the files of the application that are in their way. */
export interface PlannedFiles {
  created: Map<string, string>;
  changed: string[];
}

/**
 * Compares new files with those of the application. A file with the same text is neither created nor reported.
 * @param files the texts by path
 * @param folder the folder of the application, whose prettier formats the texts
 */
export async function planFiles(tree: Tree, files: Map<string, string>, folder = process.cwd()): Promise<PlannedFiles> {
  const format = await formatterOf(folder);
  const created = new Map<string, string>();
  const changed: string[] = [];
  for (const [path, text] of files) {
    const formatted = await format(text, path);
    const existing = readText(tree, path);
    if (existing === undefined) created.set(path, formatted);
    else if (existing !== formatted) changed.push(path);
  }
  return { created, changed };
}

/** Creates the planned files. */
export function createFiles(tree: Tree, { created }: PlannedFiles): void {
  for (const [path, text] of created) tree.create(path, text);
}
