import { posix } from 'node:path';
import type { Application } from './application.js';
import type { Choices } from './choices.js';
import { readText, type Tree, writeText } from './tree.js';

/** The option of Node.js with which Jest runs the dynamic imports of a generated Prisma client. */
const NODE_OPTION = '--experimental-vm-modules';

/** Whether Jest of a CommonJS application runs the TypeScript that Prisma's generator `prisma-client` writes. */
const runsGeneratedClient = ({ isEsm, has }: Application, { prisma }: Choices) =>
  !isEsm && has('jest') && /^generator\s+\w+\s*\{[^}]*?"prisma-client"/m.test(prisma?.text ?? '');

/** Lets Jest find the files of a generated Prisma client, whose relative imports end in `.js`. */
export function connectJest(tree: Tree, application: Application, choices: Choices): void {
  const path = posix.join(posix.dirname(application.sourceRoot), 'test/jest-e2e.json');
  const text = readText(tree, path);
  if (text === undefined || !runsGeneratedClient(application, choices)) return;
  const config = JSON.parse(text) as Record<string, unknown>;
  if (config['moduleNameMapper'] !== undefined) return;
  const mapped = { ...config, moduleNameMapper: { [String.raw`^(\.{1,2}/.*)\.js$`]: '$1' } };
  writeText(tree, path, `${JSON.stringify(mapped, null, 2)}\n`);
}

/** Returns the command that runs the written tests. */
export const testCommand = (application: Application, choices: Choices): string =>
  `${runsGeneratedClient(application, choices) ? `NODE_OPTIONS=${NODE_OPTION} ` : ''}npm run test:e2e`;
