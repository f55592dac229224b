import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type * as NestCore from '@nestjs/core';
import { OAuth2Clients, OAuth2Grants } from '../../lib/index.js';
import { CommandError, type Host } from './command.js';
import { targetOfContext } from './target-of-context.js';

/** The files that `nest build` writes the module of an application to. */
const DEFAULT_FILES = ['dist/app.module.js', 'dist/src/app.module.js'];

/**
 * Loads the export of an ES module or a CommonJS file and opens it. The export is a model, or the module of a Nest
 * application, which is then started without its HTTP server.
 * @throws {CommandError} If there is no such file or export.
 */
export async function openTarget(given: string | undefined, name: string | undefined): Promise<Host> {
  const file = given ?? DEFAULT_FILES.find((each) => existsSync(each));
  if (file === undefined)
    throw new CommandError(
      `Neither ${DEFAULT_FILES.join(' nor ')} exists: build the application, or add --app <file>.`,
    );
  const path = resolve(file);
  if (!existsSync(path)) throw new CommandError(`There is no file ${file}`);
  const found = await findExport((await import(pathToFileURL(path).href)) as Exports, name);
  const shown = relative('.', path);
  if (found === undefined) throw new CommandError(nothingIn(shown, name));
  return isModel(found) ? targetOfModel(found, shown) : targetOfModule(found, path);
}

type Exports = Record<string, unknown>;

/** Returns the export with this name. If omitted, the default export, `AppModule`, or the only export. */
async function findExport(namespace: Exports, name: string | undefined): Promise<object | undefined> {
  const { default: whole, 'module.exports': _, ...named } = namespace;
  // `import()` of a CommonJS module puts all its exports into the default export.
  const exports: Exports = isPlain(whole) ? { ...named, ...whole } : namespace;
  const all = Object.entries(exports).filter(([key, value]) => key !== '__esModule' && isThing(value));
  const found = name === undefined ? (exports['default'] ?? exports['AppModule'] ?? only(all)) : exports[name];
  const value: unknown = await found;
  return isThing(value) ? value : undefined;
}

const only = (all: [string, unknown][]) => (all.length === 1 ? all[0]![1] : undefined);
const isThing = (value: unknown): value is object =>
  typeof value === 'function' || (typeof value === 'object' && value !== null);
const isPlain = (value: unknown): value is Exports =>
  isThing(value) && typeof value === 'object' && !isModel(value) && !('module' in value) && !('then' in value);
const isModel = (value: object) =>
  ['getClient', 'listClients', 'createClient'].some((method) => typeof (value as Exports)[method] === 'function');

function nothingIn(file: string, name: string | undefined): string {
  if (name !== undefined) return `${file} exports no \`${name}\``;
  return `${file} has neither a default export nor an \`AppModule\`: add --export <name>`;
}

function targetOfModel(model: object, file: string): Host {
  return {
    clients: async () => new OAuth2Clients(model),
    async server() {
      throw new CommandError(
        `${file} exports a model, and this command needs a server: add --app <the module of the application>`,
      );
    },
    grants: async () => new OAuth2Grants(model),
    close: async () => undefined,
  };
}

async function targetOfModule(module: object, path: string): Promise<Host> {
  const { NestFactory } = nestOf(path);
  const options = { abortOnError: false, logger: ['error', 'fatal'] } as const;
  const context = await NestFactory.createApplicationContext(module as never, {
    ...options,
    logger: [...options.logger],
  });
  return targetOfContext(context);
}

/** Loads the `@nestjs/core` of the application. Another copy would not know the metadata of its decorators. */
function nestOf(path: string): typeof NestCore {
  try {
    return createRequire(path)('@nestjs/core') as typeof NestCore;
  } catch (error) {
    throw new CommandError(`Cannot load Nest from ${path}: ${(error as Error).message}`);
  }
}
