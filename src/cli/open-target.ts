import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type * as NestCore from '@nestjs/core';
import { OAuth2Clients, OAuth2Grants } from '../../lib/index.js';
import { CommandError, type CommandTarget } from './command.js';
import { targetOfContext } from './target-of-context.js';

/**
 * The files to which `nest build` writes the root module of an application. Without `--app`, the first that exists is
 * loaded.
 */
const DEFAULT_FILES = ['dist/app.module.js', 'dist/src/app.module.js'];

/**
 * Loads the export of an ES module or a CommonJS file and opens it. The export is a model, or the module of a Nest
 * application, which is then started without its HTTP server.
 * @param given the file. If omitted, the first of the default files that exists.
 * @param name the name of the export. If omitted: the default export, else `AppModule`, else the only export.
 * @param options `isOptional`: whether to return an empty target if `given` is omitted and no default file exists.
 * @throws {CommandError} If there is no such file or export.
 */
export async function openTarget(
  given: string | undefined,
  name: string | undefined,
  { isOptional = false } = {},
): Promise<CommandTarget> {
  const file = given ?? DEFAULT_FILES.find((each) => existsSync(each));
  if (file === undefined && isOptional) return NO_TARGET;
  if (file === undefined)
    throw new CommandError(
      `Neither ${DEFAULT_FILES.join(' nor ')} exists: build the application, or add --app <file>.`,
    );
  const exported = await importFile(file, name);
  const path = resolve(file);
  return isModel(exported) ? targetOfModel(exported, relative('.', path)) : targetOfModule(exported, path);
}

/**
 * Loads an export of an ES module or a CommonJS file.
 * @param name the name of the export. If omitted: the default export, else `AppModule`, else the only export.
 * @throws {CommandError} If there is no such file or export.
 */
export async function importFile(file: string, name: string | undefined): Promise<object> {
  const path = resolve(file);
  if (!existsSync(path)) throw new CommandError(`There is no file ${file}`);
  const exported = await findExport((await import(pathToFileURL(path).href)) as Exports, name);
  if (exported === undefined) throw new CommandError(missingExport(relative('.', path), name));
  return exported;
}

type Exports = Record<string, unknown>;

/**
 * Returns the export with this name, or `undefined`. If `name` is omitted: the default export, else `AppModule`, else
 * the only export.
 */
async function findExport(namespace: Exports, name: string | undefined): Promise<object | undefined> {
  const { default: whole, 'module.exports': _, ...named } = namespace;
  // `import()` of a CommonJS module puts all its exports into the default export.
  const exports: Exports = isPlainObject(whole) ? { ...named, ...whole } : namespace;
  const all = Object.entries(exports).filter(([key, value]) => key !== '__esModule' && isObjectOrFunction(value));
  const exported = name === undefined ? (exports['default'] ?? exports['AppModule'] ?? only(all)) : exports[name];
  const value: unknown = await exported;
  return isObjectOrFunction(value) ? value : undefined;
}

const only = (all: [string, unknown][]) => (all.length === 1 ? all[0]![1] : undefined);
const isObjectOrFunction = (value: unknown): value is object =>
  typeof value === 'function' || (typeof value === 'object' && value !== null);
const isPlainObject = (value: unknown): value is Exports =>
  isObjectOrFunction(value) &&
  typeof value === 'object' &&
  !isModel(value) &&
  !('module' in value) &&
  !('then' in value);
const isModel = (value: object) =>
  ['getClient', 'listClients', 'createClient'].some((method) => typeof (value as Exports)[method] === 'function');

function missingExport(file: string, name: string | undefined): string {
  if (name !== undefined) return `${file} exports no \`${name}\``;
  return `${file} has no default export, no \`AppModule\`, and not exactly one export: add --export <name>`;
}

function targetOfModel(model: object, file: string): CommandTarget {
  return {
    clients: async () => new OAuth2Clients(model),
    async server() {
      throw new CommandError(
        `${file} exports a model, and this command needs a server: add --app <the module of the application>`,
      );
    },
    grants: async () => new OAuth2Grants(model),
    report: async (request) => (await import('../report/report-on.js')).reportOn([], request),
    close: async () => undefined,
  };
}

/** A target without an application and without a model. */
export const NO_TARGET: CommandTarget = targetOfModel({}, 'No file');

async function targetOfModule(module: object, path: string): Promise<CommandTarget> {
  const { ModulesContainer, NestFactory } = nestOf(path);
  const options = { abortOnError: false, logger: ['error', 'fatal'] } as const;
  const context = await NestFactory.createApplicationContext(module as never, {
    ...options,
    logger: [...options.logger],
  });
  return targetOfContext(context, () => context.get(ModulesContainer, { strict: false }));
}

/** Loads the `@nestjs/core` of the application. Another copy would not know the metadata of its decorators. */
function nestOf(path: string): typeof NestCore {
  try {
    return createRequire(path)('@nestjs/core') as typeof NestCore;
  } catch (error) {
    throw new CommandError(`Cannot load Nest from ${path}: ${(error as Error).message}`);
  }
}
