import { createInterface } from 'node:readline/promises';
import type { Application } from '../application.js';
import type { AddOptions } from '../choices.js';
import type { SchematicContext, Tree } from '../tree.js';
import { findExisting } from './existing-application.js';

/** Whether the schematics engine asks questions. The Nest CLI connects its terminal with the engine. */
const isInteractive = () => Boolean(process.stdin.isTTY && process.stdout.isTTY && !process.env['CI']);

/**
 * Whether the server uses the database connection and the users of the application. A terminal asks if the application
 * has them and no option decides. Otherwise, a message names the option.
 */
export async function acceptsExisting(
  tree: Tree,
  application: Application,
  options: AddOptions,
  logger: SchematicContext['logger'],
): Promise<boolean> {
  if (options.existing !== undefined || options.store === 'existing') return options.existing ?? true;
  if (options.api || options.store === 'none') return false;
  const found = findExistingOrNothing(tree, application, options.store);
  if (found === undefined) return false;
  if (isInteractive()) return ask(`${found} Use them instead of a new connection and new users?`);
  logger.info(`${found} To use them, add the option --existing.`);
  return false;
}

/** Returns a sentence that names the connection and the users of the application, if it has both. */
function findExistingOrNothing(tree: Tree, application: Application, store: string | undefined): string | undefined {
  try {
    const found = findExisting(tree, application, { store: store?.split('/')[0] });
    if (typeof found === 'string') return undefined;
    return `The application has a database connection, ${found.token.text}, and users, ${found.users.name} in ${found.users.file}.`;
  } catch {
    // The application has a version or a database that the option does not support.
    return undefined;
  }
}

async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return !/^n/i.test((await terminal.question(`${question} (Y/n) `)).trim());
  } finally {
    terminal.close();
  }
}
