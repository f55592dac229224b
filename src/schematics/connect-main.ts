import { posix } from 'node:path';
import type { Application } from './application.js';
import type { Choices } from './choices.js';
import { addImport } from './root-module.js';
import { readText, type SchematicContext, type Tree, writeText } from './tree.js';

/** Selects the HTTP adapter in `main.ts`, and lets a signal close the application gracefully. */
export function connectMain(
  tree: Tree,
  { sourceRoot }: Application,
  { http }: Choices,
  logger: SchematicContext['logger'],
): void {
  const main = posix.join(sourceRoot, 'main.ts');
  if (http === 'fastify') useFastify(tree, main, logger);
  enableShutdownHooks(tree, main, logger);
}

/** Passes the Fastify adapter to `NestFactory.create()`, unless `main.ts` already does. */
function useFastify(tree: Tree, main: string, logger: SchematicContext['logger']): void {
  const text = readText(tree, main);
  if (text?.includes('FastifyAdapter')) return;
  const call = /NestFactory\.create\((\w+)\)/g;
  if (text === undefined || [...text.matchAll(call)].length !== 1) {
    logger.warn(
      `${main} was not changed, because it has no call NestFactory.create(AppModule). Pass new FastifyAdapter() of ` +
        '@nestjs/platform-fastify as its second argument.',
    );
    return;
  }
  const edited = text.replace(
    call,
    'NestFactory.create<NestFastifyApplication>(\n    $1,\n    new FastifyAdapter(),\n  )',
  );
  const names = "import {\n  FastifyAdapter,\n  type NestFastifyApplication,\n} from '@nestjs/platform-fastify';";
  writeText(tree, main, addImport(edited, names));
}

/** Calls `enableShutdownHooks()` before `listen()`, so that SIGTERM ends running requests and closes the database. */
function enableShutdownHooks(tree: Tree, main: string, logger: SchematicContext['logger']): void {
  const text = readText(tree, main);
  if (text?.includes('enableShutdownHooks')) return;
  const calls = [...(text ?? '').matchAll(/^([ \t]*)(?:await )?(\w+)\.listen\(/gm)];
  const [call] = calls;
  if (text === undefined || calls.length !== 1 || !call) {
    logger.warn(`${main} has no call app.listen(). Call app.enableShutdownHooks() where your application starts.`);
    return;
  }
  const hooks = `${call[1]}// SIGTERM ends running requests, then closes the database.\n${call[1]}${call[2]}.enableShutdownHooks();\n`;
  writeText(tree, main, text.slice(0, call.index) + hooks + text.slice(call.index));
}
