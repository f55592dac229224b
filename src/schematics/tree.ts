/** The files of an application, as the schematics engine stages them. Every version of the engine has these methods. */
export interface Tree {
  exists(path: string): boolean;
  read(path: string): Buffer | null;
  create(path: string, content: string): void;
  overwrite(path: string, content: string): void;
  /** Returns the names of the folders and files in a folder, also if the folder does not exist. */
  getDir(path: string): { subdirs: readonly string[]; subfiles: readonly string[] };
}

/** A task that the schematics engine runs after it has written the files. */
export interface Task {
  toConfiguration(): { name: string; options?: object };
}

/** The part of the context of a schematic that the schematics of this package use. */
export interface SchematicContext {
  logger: { info(message: string): void; warn(message: string): void };
  addTask(task: Task, dependencies?: unknown[]): unknown;
}

/** A change to the files of an application. */
export type Rule = (tree: Tree, context: SchematicContext) => Promise<void>;

/** Returns the text of a file, or `undefined` if it does not exist. */
export const readText = (tree: Tree, path: string): string | undefined => tree.read(path)?.toString('utf8');

/** Creates a file or replaces its text. Does nothing if the text is the same. */
export function writeText(tree: Tree, path: string, text: string): void {
  const old = readText(tree, path);
  if (old === undefined) tree.create(path, text);
  else if (old !== text) tree.overwrite(path, text);
}
