import type { Application } from './application.js';
import { type Existing, findExisting } from './existing/existing-application.js';
import { databaseOf, type PrismaSchema, readPrismaSchema } from './prisma-schema.js';
import {
  checkDeployable,
  checkVersion,
  DATABASES,
  type DatabaseName,
  isSql,
  type StoreName,
  STORES,
} from './stores.js';
import type { Tree } from './tree.js';

const FEATURES = ['pages', 'openid', 'mcp', 'accounts'] as const;
const ADAPTERS = ['express', 'fastify'] as const;

type FeatureName = (typeof FEATURES)[number];

/** The options of `nest add nest-oauth2`, as the command line passes them. */
export interface AddOptions {
  store?: string;
  database?: string;
  http?: string;
  features?: string | string[];
  api?: boolean;
  existing?: boolean;
  deploy?: boolean;
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
  /** The connection and the users of the application, if the server uses them. */
  existing: Existing | undefined;
  /** Whether files for Docker and Kubernetes are written. */
  deploy: boolean;
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
  const chosen = databaseName ?? options.database;
  const existing = options.existing ? readExisting(options, application, tree) : undefined;
  const store = existing?.store ?? (options.api ? 'none' : oneOf('store', STORES, storeName));
  if (chosen !== undefined && !isSql(store)) {
    throw new Error(`--database is for stores with an SQL database. --store=${store} has none. Remove --database.`);
  }
  checkVersion(store, application);
  const database = chosen === undefined ? undefined : oneOf('database', DATABASES, chosen);
  const listed = typeof options.features === 'string' ? options.features.split(',') : (options.features ?? []);
  const features = listed.map((name) => oneOf('features', FEATURES, name.trim()));
  if (existing && features.includes('accounts') && !existing.users.isEmail) {
    const { name, login } = existing.users;
    throw new Error(
      `--features=accounts needs users with an e-mail address. Users of ${name} sign in with \`${login}\`. Add a unique ` +
        'column `email`, or omit accounts.',
    );
  }
  const path = options.path ?? 'oauth';
  if (!/^[a-z0-9][\w-]*$/.test(path)) {
    throw new Error(`--path must be the name of a folder, of small letters, digits and hyphens. Got "${path}".`);
  }
  const detected = application.has('@nestjs/platform-fastify') ? 'fastify' : 'express';
  const prisma = store === 'prisma' ? readPrismaSchema(tree) : undefined;
  const choices = {
    store,
    database: prisma ? databaseOf(prisma, database) : (database ?? existing?.database ?? 'sqlite'),
    http: oneOf('http', ADAPTERS, options.http ?? detected),
    features: new Set(features),
    path,
    prisma,
    existing,
    deploy: options.deploy === true,
  };
  if (choices.deploy) checkDeployable(choices.store, choices.database);
  return choices;
}

/** @throws {Error} If the application has no connection or no users that the server can use. */
function readExisting(options: AddOptions, application: Application, tree: Tree): Existing {
  if (options.api) throw new Error('--api writes no server, so it does not go with --existing. Remove one of them.');
  const database = options.database === undefined ? undefined : oneOf('database', DATABASES, options.database);
  const found = findExisting(tree, application, { store: options.store, database });
  if (typeof found !== 'string') return found;
  throw new Error(`--existing uses the database connection and the users of the application. ${found}`);
}
