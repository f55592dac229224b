import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Application } from './application.js';
import { type DatabaseName, EXACT_COLLATIONS } from './stores.js';
import { readText, type Tree, writeText } from './tree.js';

/** The folder of the published models and SQL files, seen from the sources and from the bundle. */
const SCHEMAS = join(import.meta.dirname, '../../docs/schema');

const DEFAULT_PATH = 'prisma/schema.prisma';
const CONFIGS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((extension) => `prisma.config.${extension}`);

/** The facts about the Prisma schema of an application. */
export interface PrismaSchema {
  /** The path of the schema in the application. */
  path: string;
  /** The text of the schema, or `undefined` if the application has none. */
  text: string | undefined;
  /** The provider of the data source, such as `postgresql`. */
  provider: string | undefined;
  hasConfig: boolean;
  /** The folder of the migration that creates the tables: that of an earlier run, or a new one. */
  migration: string;
}

/** The table of the users: the model of Prisma and the SQL. */
export interface UsersTable {
  model: string;
  sql: string;
}

/** The users with their passwords. */
export const USERS: UsersTable = {
  model: `model OAuthUser {
  id              String @id @db.VarChar(36)
  username        String @unique @db.VarChar(191)
  passwordHash    String @map("password_hash") @db.VarChar(255)
  passwordVersion Int    @map("password_version")

  @@map("oauth_users")
}
`,
  sql: `CREATE TABLE "oauth_users" (
  "id" varchar(36) NOT NULL,
  "username" varchar(191) NOT NULL,
  "password_hash" varchar(255) NOT NULL,
  "password_version" integer NOT NULL,
  CONSTRAINT "oauth_users_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "oauth_users_username_key" ON "oauth_users" ("username");
`,
};

/** The users of `accounts()`, whose passwords are in the store. */
export const ACCOUNTS: UsersTable = {
  model: `model OAuthUser {
  id    String @id @db.VarChar(36)
  email String @unique @db.VarChar(254)

  @@map("oauth_users")
}
`,
  sql: `CREATE TABLE "oauth_users" (
  "id" varchar(36) NOT NULL,
  "email" varchar(254) NOT NULL,
  CONSTRAINT "oauth_users_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "oauth_users_email_key" ON "oauth_users" ("email");
`,
};

/** The provider of Prisma for each database, and the name of its published files. */
const DIALECTS: Readonly<Record<DatabaseName, { provider: string; file: string }>> = {
  postgres: { provider: 'postgresql', file: 'postgresql' },
  sqlite: { provider: 'sqlite', file: 'sqlite' },
  mariadb: { provider: 'mysql', file: 'mariadb' },
  mysql: { provider: 'mysql', file: 'mariadb' },
};

const providerOf = (database: DatabaseName) => DIALECTS[database].provider;

/** Reads the published file of a database, such as `postgresql.sql`. */
const readPublished = (database: DatabaseName, extension: 'prisma' | 'sql') =>
  readFileSync(join(SCHEMAS, `${DIALECTS[database].file}.${extension}`), 'utf8');

/**
 * Reads the Prisma schema of an application.
 * @throws {Error} If the schema consists of several files.
 */
export function readPrismaSchema(tree: Tree, now = new Date()): PrismaSchema {
  const config = CONFIGS.map((path) => readText(tree, path)).find((text) => text !== undefined);
  const path = posix.normalize(/\bschema:\s*(['"`])(.*?)\1/.exec(config ?? '')?.[2] ?? DEFAULT_PATH);
  if (!path.endsWith('.prisma')) {
    throw new Error(
      `--store=prisma extends a schema of one file, and the schema "${path}" is a folder. Follow the guide ` +
        'docs/guides/prisma.md of the repository instead.',
    );
  }
  const text = readText(tree, path);
  const provider = /^datasource\s[^}]*?\bprovider\s*=\s*"(\w+)"/m.exec(text ?? '')?.[1];
  const migrations = posix.join(posix.dirname(path), 'migrations');
  const existing = tree.getDir(migrations).subdirs.find((name) => name.endsWith('_oauth'));
  const migration = posix.join(migrations, existing ?? `${now.toISOString().replaceAll(/\D/g, '').slice(0, 14)}_oauth`);
  return { path, text, provider, hasConfig: config !== undefined, migration };
}

/**
 * Returns the database of an existing schema, or `undefined` if the application has no schema.
 * @throws {Error} If the schema has another database than `chosen`, or does not say if it is MariaDB or MySQL.
 */
export function databaseOf({ path, provider }: PrismaSchema, chosen: DatabaseName | undefined): DatabaseName {
  if (provider === undefined || (chosen && providerOf(chosen) === provider)) return chosen ?? 'sqlite';
  const known = (Object.keys(DIALECTS) as DatabaseName[]).filter((name) => providerOf(name) === provider);
  if (chosen === undefined && known.length === 1) return known[0]!;
  const remedy = known.length > 0 ? ` Use --database=${known.join(' or --database=')}.` : '';
  throw new Error(`The data source in ${path} has the provider "${provider}".${remedy}`);
}

/** Returns the import specifier of the generated client, seen from the folder of the written files. */
export function clientImport({ path, text }: PrismaSchema, { isEsm, sourceRoot }: Application, folder: string): string {
  if (text === undefined && !isEsm) return '@prisma/client';
  const generator = /^generator\s+\w+\s*\{[^}]*?"prisma-client(?:-js)?"[^}]*\}/m.exec(text ?? '')?.[0] ?? '';
  const output = /\boutput\s*=\s*"([^"]+)"/.exec(generator)?.[1];
  if (text !== undefined && (output === undefined || output.includes('node_modules'))) return '@prisma/client';
  const client = output ? posix.join(posix.dirname(path), output) : posix.join(sourceRoot, GENERATED);
  const relative = posix.relative(posix.join(sourceRoot, folder), client);
  const file = generator.includes('"prisma-client-js"') ? 'index' : 'client';
  return `${relative.startsWith('.') ? '' : './'}${relative}/${file}${isEsm ? '.js' : ''}`;
}

/** The folder of the generated client, in the folder of the sources. */
const GENERATED = 'generated/prisma';

/**
 * Returns the beginning of a new schema. Jest of a CommonJS application cannot run the dynamic imports of the generator
 * `prisma-client`, so the schema has the generator `prisma-client-js` there.
 */
function headOf(schema: PrismaSchema, { isEsm, sourceRoot }: Application, database: DatabaseName): string {
  const output = posix.join(posix.relative(posix.dirname(schema.path), sourceRoot), GENERATED);
  const lines = isEsm ? `  provider = "prisma-client"\n  output   = "${output}"` : '  provider = "prisma-client-js"';
  return `generator client {\n${lines}\n}\n\ndatasource db {\n  provider = "${providerOf(database)}"\n}\n`;
}

/**
 * Returns the models of the store, without those that the schema contains.
 * @param users the table of the users, unless the application has one
 */
function missingModels(text: string, database: DatabaseName, users: UsersTable | undefined): string {
  const stored = readPublished(database, 'prisma');
  const table = database === 'sqlite' ? users?.model.replaceAll(/ @db\.\w+\(\d+\)/g, '') : users?.model;
  const models = (table ? `${stored}\n${table}` : stored).split(/\n(?=model )/);
  const missing = models.filter((model) => !text.includes(/@@map\(.*?\)/.exec(model)![0]));
  return missing.map((model) => `\n${model.trimEnd()}\n`).join('');
}

/** Returns the SQL that creates the tables. */
function sqlOf(database: DatabaseName, users: UsersTable | undefined): string {
  const stored = readPublished(database, 'sql');
  const collation = EXACT_COLLATIONS[database];
  if (!collation) return users ? `${stored}\n${users.sql}` : stored;
  const quoted = users?.sql.replaceAll('"', '`');
  const table = quoted?.replaceAll(/varchar\(\d+\)/g, `$& CHARACTER SET "utf8mb4" COLLATE "${collation}"`);
  // The published file has the name of MariaDB.
  const exact = stored.replaceAll(EXACT_COLLATIONS.mariadb!, collation);
  return table ? `${exact}\n${table}` : exact;
}

/** Adds the models to the schema, and the migration that creates their tables. Existing files stay. */
export function writePrismaSchema(
  tree: Tree,
  schema: PrismaSchema,
  application: Application,
  { database, users }: { database: DatabaseName; users: UsersTable | undefined },
): void {
  const text = schema.text ?? headOf(schema, application, database);
  const start = text.endsWith('\n') ? text : `${text}\n`;
  writeText(tree, schema.path, start + missingModels(text, database, users));
  const migration = posix.join(schema.migration, 'migration.sql');
  if (!tree.exists(migration)) tree.create(migration, sqlOf(database, users));
  const lock = posix.join(posix.dirname(schema.migration), 'migration_lock.toml');
  const provider = `# The provider of the migrations. Add this file to version control.\nprovider = "${providerOf(database)}"\n`;
  if (!tree.exists(lock)) tree.create(lock, provider);
}

/** Returns the path of the client that a new schema generates, or `undefined` if it is in `node_modules`. */
export const generatedFolder = ({ text }: PrismaSchema, { isEsm, sourceRoot }: Application): string | undefined =>
  text === undefined && isEsm ? posix.join(sourceRoot, GENERATED) : undefined;
