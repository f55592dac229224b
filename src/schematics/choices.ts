import type { Application } from './application.js';
import { databaseOf, type PrismaSchema, readPrismaSchema } from './prisma-schema.js';
import { checkVersion, DATABASES, type DatabaseName, isSql, type StoreName, STORES } from './stores.js';
import type { Tree } from './tree.js';

const FEATURES = ['pages', 'openid', 'mcp'] as const;
const ADAPTERS = ['express', 'fastify'] as const;

type FeatureName = (typeof FEATURES)[number];

/** The options of `nest add nest-oauth2`, as the command line passes them. */
export interface AddOptions {
  store?: string;
  database?: string;
  http?: string;
  features?: string | string[];
  api?: boolean;
  path?: string;
  sourceRoot?: string;
  skipInstall?: boolean;
}

/** The validated options of `nest add nest-oauth2`. */
export interface Choices {
  store: StoreName;
  database: DatabaseName;
  http: (typeof ADAPTERS)[number];
  features: ReadonlySet<FeatureName>;
  /** The folder of the written files, relative to the folder of the sources. */
  path: string;
  /** The Prisma schema of the application. `undefined` with another store. */
  prisma: PrismaSchema | undefined;
}

/** @throws {Error} If the value is not one of the known values. */
function oneOf<T extends string>(name: string, known: readonly T[], value: string): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new Error(`--${name} must be one of: ${known.join(', ')}. Got "${value}".`);
  return found;
}

/**
 * Validates the options. `--store=typeorm/postgres` is short for `--store=typeorm --database=postgres`.
 * @throws {Error} If an option has an unknown value, or two options contradict each other.
 */
export function readChoices(options: AddOptions, application: Application, tree: Tree): Choices {
  const [storeName = '', databaseName] = (options.store ?? 'memory').split('/');
  const store = options.api ? 'none' : oneOf('store', STORES, storeName);
  const chosen = databaseName ?? options.database;
  if (chosen !== undefined && !isSql(store)) {
    throw new Error(`--database is for stores with an SQL database. --store=${store} has none. Remove --database.`);
  }
  checkVersion(store, application);
  const database = chosen === undefined ? undefined : oneOf('database', DATABASES, chosen);
  const listed = typeof options.features === 'string' ? options.features.split(',') : (options.features ?? []);
  const features = listed.map((name) => oneOf('features', FEATURES, name.trim()));
  const path = options.path ?? 'oauth';
  if (!/^[a-z0-9][\w-]*$/.test(path)) {
    throw new Error(`--path must be the name of a folder, of small letters, digits and hyphens. Got "${path}".`);
  }
  const detected = application.has('@nestjs/platform-fastify') ? 'fastify' : 'express';
  const prisma = store === 'prisma' ? readPrismaSchema(tree) : undefined;
  return {
    store,
    database: prisma ? databaseOf(prisma, database) : (database ?? 'sqlite'),
    http: oneOf('http', ADAPTERS, options.http ?? detected),
    features: new Set(features),
    path,
    prisma,
  };
}
