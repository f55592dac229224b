import { posix } from 'node:path';
import type { Application } from './application.js';
import type { Choices } from './choices.js';
import { generatedFolder } from './prisma-schema.js';
import { isSql } from './stores.js';
import { readText, type Tree, writeText } from './tree.js';

/** Adds the files that are secret or generated to the files that Git, npm, Docker and prettier ignore. */
export function ignoreFiles(tree: Tree, application: Application, choices: Choices): void {
  const { store, database, path, prisma, existing, deploy } = choices;
  const isFile = isSql(store) && database === 'sqlite' && !existing;
  const secret = ['.env', ...(isFile ? ['oauth.sqlite*'] : [])];
  const generated = prisma ? generatedFolder(prisma, application) : undefined;
  const built = tree.exists('.gitignore') ? [] : ['node_modules', 'dist'];
  ignoreLines(tree, '.gitignore', [...built, ...secret, ...(generated ? [`/${generated}`] : [])]);
  // npm reads .gitignore unless this file exists.
  if (tree.exists('.npmignore')) ignoreLines(tree, '.npmignore', secret);
  ignoreLines(tree, '.dockerignore', [...secret, 'node_modules', ...(deploy ? ['dist', '.git', 'deploy'] : [])]);
  // drizzle-kit writes JSON files in a layout of its own.
  const migrations = posix.join(application.sourceRoot, path, 'migrations');
  if (store === 'drizzle' && !existing) ignoreLines(tree, '.prettierignore', [migrations]);
}

/** Adds missing lines to a file such as `.gitignore`. */
function ignoreLines(tree: Tree, path: string, wanted: string[]): void {
  const text = readText(tree, path) ?? '';
  const lines = new Set(text.split(/\r?\n/).map((line) => line.trim().replace(/^\//, '')));
  const missing = wanted.filter((line) => !lines.has(line.replace(/^\//, '')));
  if (missing.length === 0) return;
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  writeText(tree, path, `${start}${missing.join('\n')}\n`);
}
