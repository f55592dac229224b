import type { Application } from '../application.js';
import { databaseOf, readPrismaSchema } from '../prisma-schema.js';
import { checkVersion, type DatabaseName } from '../stores.js';
import { type Tree } from '../tree.js';
import { type Exported, exportingModule, findMatch, readSources, type Sources } from './sources.js';
import { decoratedTables, drizzleTables, prismaTables } from './tables.js';
import { findUsersTable, type UsersTable } from './users-table.js';

/** The stores that can use a connection of the application. */
export type ExistingStore = 'prisma' | 'typeorm' | 'drizzle' | 'mongoose';

/** What an application already has: its database connection, its users and its settings. */
export interface Existing {
  store: ExistingStore;
  /** The database, as `--database` names it. `undefined` if the sources do not show it. */
  database: DatabaseName | undefined;
  /** The injection token of the connection, as TypeScript, and the file that exports it. */
  token: { text: string; file: string | undefined };
  /** The Nest module that exports the connection, unless the connection is global. */
  module: Exported | undefined;
  /** The package of the driver of Drizzle, such as `drizzle-orm/node-postgres`. */
  driver: string | undefined;
  users: UsersTable;
  sources: Sources;
}

/** A connection, and how to find the tables of it. */
interface Found extends Omit<Existing, 'users' | 'sources'> {
  users: () => UsersTable | undefined;
}

/** Finds the connections of the application: at most one for each kind of store. */
function findConnections(tree: Tree, sources: Sources, wanted: DatabaseName | undefined): Found[] {
  const prisma = findMatch(sources, /\bexport class (\w+)\s+extends\s+PrismaClient\b/);
  const typeorm = findMatch(sources, /\bTypeOrmModule\.forRoot/);
  const source = providerOf(sources, /\bnew DataSource\(/);
  const drizzle = providerOf(sources, /\bdrizzle(?:<[^>]*>)?\(/);
  const mongoose = findMatch(sources, /\bMongooseModule\.forRoot/);
  const found: Found[] = [];
  if (prisma) {
    const [, name] = prisma.match;
    const { path, text = '', ...schema } = readPrismaSchema(tree);
    const module = exportingModule(sources, name!);
    const token = { text: name!, file: prisma.file };
    const users = () => findUsersTable(prismaTables(path, text));
    const database = databaseOf({ path, text, ...schema }, wanted);
    found.push({ store: 'prisma', database, token, module, driver: undefined, users });
  }
  if (typeorm ?? source) {
    const file = typeorm ? typeorm.file : source!.file;
    const token = typeorm ? { text: 'DataSource', file: undefined } : source!.token;
    const module = typeorm ? undefined : exportingModule(sources, token.text);
    const users = () => findUsersTable(decoratedTables(sources, 'typeorm'));
    found.push({ store: 'typeorm', database: typeOf(sources.get(file)!), token, module, driver: undefined, users });
  }
  if (drizzle) {
    const module = exportingModule(sources, drizzle.token.text);
    const driver = /from ['"](drizzle-orm\/[\w-]+)['"]/.exec(
      sources.get(drizzle.file)!.replaceAll(/drizzle-orm\/\w+-core/g, ''),
    )?.[1];
    const users = () => findUsersTable(drizzleTables(sources));
    found.push({ store: 'drizzle', database: databaseOfDriver(driver), token: drizzle.token, module, driver, users });
  }
  if (mongoose) {
    const users = () => findUsersTable(decoratedTables(sources, 'mongoose'));
    const token = { text: 'getConnectionToken()', file: undefined };
    found.push({ store: 'mongoose', database: undefined, token, module: undefined, driver: undefined, users });
  }
  return found;
}

/** Finds a provider whose file contains a call, such as `drizzle(…)`. */
function providerOf(sources: Sources, call: RegExp): { file: string; token: Existing['token'] } | undefined {
  for (const [file, text] of sources) {
    const token = call.test(text) ? /\bprovide:\s*(\w+|'[^']+'|"[^"]+")/.exec(text)?.[1] : undefined;
    if (token === undefined) continue;
    if (/^['"]/.test(token)) return { file, token: { text: token, file: undefined } };
    const declared = findMatch(sources, new RegExp(`\\bexport (?:const|class) ${token}\\b`));
    return { file, token: { text: token, file: declared?.file ?? file } };
  }
  return undefined;
}

const TYPES: Readonly<Record<string, DatabaseName>> = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mariadb',
  sqlite: 'sqlite',
  'better-sqlite3': 'sqlite',
};

const typeOf = (text: string) => TYPES[/\btype:\s*['"]([\w-]+)['"]/.exec(text)?.[1] ?? ''];

function databaseOfDriver(driver = ''): DatabaseName {
  if (driver.includes('mysql')) return 'mysql';
  return /sqlite|libsql/.test(driver) ? 'sqlite' : 'postgres';
}

/**
 * Finds the connection and the users of an application.
 * @param wanted the store, if the application has several connections, and the database, if the sources do not show it
 * @returns the application, or a sentence that says what is missing
 */
export function findExisting(
  tree: Tree,
  application: Application,
  wanted: { store?: string | undefined; database?: DatabaseName | undefined },
): Existing | string {
  const sources = readSources(tree, application.sourceRoot);
  const connections = findConnections(tree, sources, wanted.database);
  const connection = connections.find(({ store }) => store === wanted.store) ?? connections.at(0);
  if (!connection) {
    return (
      `${application.sourceRoot} contains no connection to a database: no class that extends PrismaClient, no ` +
      'TypeOrmModule.forRoot(), no MongooseModule.forRoot(), and no provider with drizzle().'
    );
  }
  const { users: findUsers, ...found } = connection;
  checkVersion(found.store, application);
  const users = findUsers();
  if (!users) {
    return (
      `No table of users was found for ${found.token.text}: it has a column for the name that users type, such as ` +
      '`email` or `username`, and a column for the hash of the password, such as `passwordHash`.'
    );
  }
  const isInjected = found.store === 'prisma' || found.token.file !== undefined || /^['"]/.test(found.token.text);
  if (isInjected && !found.module) {
    return (
      `No module exports ${found.token.text}, so another module cannot use it. Provide it in a module with ` +
      `\`providers: [${found.token.text}], exports: [${found.token.text}]\`, and import that module.`
    );
  }
  return { ...found, users, sources };
}
