import { type Tree, readText } from './tree.js';

/** The members of `package.json` that the schematics read and change. */
export interface Manifest {
  name?: string;
  type?: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** The facts about an application that the schematics need. */
export interface Application {
  manifest: Manifest;
  /** The folder of the sources, such as `src`. */
  sourceRoot: string;
  /** Whether the application consists of ES modules, so that relative imports end in `.js`. */
  isEsm: boolean;
  readonly has: (dependency: string) => boolean;
}

/**
 * Reads the application in the current folder.
 * @throws {Error} If the folder contains no Nest application.
 */
export function readApplication(tree: Tree, sourceRoot = 'src'): Application {
  const text = readText(tree, 'package.json');
  if (text === undefined)
    throw new Error('There is no package.json here. Run the command in the folder of a Nest application.');
  const manifest = JSON.parse(text) as Manifest;
  const has = (name: string) =>
    manifest.dependencies?.[name] !== undefined || manifest.devDependencies?.[name] !== undefined;
  if (!has('@nestjs/core')) {
    throw new Error(
      'package.json does not depend on @nestjs/core. Run the command in the folder of a Nest application.',
    );
  }
  return { manifest, sourceRoot, isEsm: manifest.type === 'module', has };
}
