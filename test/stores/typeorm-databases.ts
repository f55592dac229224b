import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import {
  oauthEntities,
  oauthMigrations,
  TypeOrmStore,
  type TypeOrmStoreOptions,
  type Users,
} from 'nest-oauth2/stores/typeorm';
import { expect } from '@jest/globals';
import libsql from 'libsql';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { reportMissing, START_SERVERS } from '../support/environment/requirements.js';
import { users } from './in-memory.js';

export { users, WEB } from './in-memory.js';

export interface TestDatabase {
  name: string;
  /** The library that the store uses instead of TypeORM. TypeORM creates the tables. */
  library?: keyof typeof LIBRARIES;
  options(): DataSourceOptions & { dispose?(): void };
}

/** The database servers of `compose.yaml` at their default addresses. */
export const SERVERS = [
  {
    name: 'PostgreSQL',
    variable: 'DATABASE_URL',
    type: 'postgres',
    url: 'postgres://postgres@127.0.0.1:5432/test',
    // Commits do not wait for the disk, because no test needs to survive a crash of the database server.
    extra: { options: '-c synchronous_commit=off' },
  },
  {
    name: 'MariaDB',
    variable: 'MARIADB_URL',
    type: 'mariadb',
    url: 'mysql://root@127.0.0.1:3306/test',
    // A test that keeps the process busy for the 10 seconds of the driver is no outage.
    extra: { connectTimeout: 60_000 },
  },
] as const;

/** A driver with the interface of better-sqlite3 and prebuilt binaries. test/package tests better-sqlite3 itself. */
const SQLITE = { type: 'better-sqlite3', driver: libsql } as const;

export const SQLITE_IN_MEMORY: TestDatabase = {
  name: 'SQLite in memory',
  options: () => ({ ...SQLITE, database: ':memory:' }),
};
export const SQLITE_IN_FILE: TestDatabase = { name: 'SQLite in a file', options: sqliteFile };

/** Returns the database servers that respond. Reports the others as missing. */
export async function findServers(): Promise<TestDatabase[]> {
  const found: TestDatabase[] = [];
  for (const { name, variable, type, url, extra } of SERVERS) {
    const options = { type, url: process.env[variable] ?? url, extra };
    try {
      await (await new DataSource(options).initialize()).destroy();
      found.push({ name, options: () => options });
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      reportMissing(code === 'ECONNREFUSED' ? name : `${name} (${message})`, START_SERVERS);
    }
  }
  return found;
}

/** Returns the available databases: SQLite always, and the servers that respond. */
export async function findDatabases(): Promise<TestDatabase[]> {
  return [SQLITE_IN_MEMORY, SQLITE_IN_FILE, ...(await findServers())];
}

/** A folder in memory if Linux has one, where a commit does not wait for the disk. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

function sqliteFile() {
  const folder = mkdtempSync(join(FOLDER, 'nest-oauth2-'));
  const dispose = () => rmSync(folder, { recursive: true });
  return { ...SQLITE, database: join(folder, 'oauth.sqlite'), enableWAL: true, dispose } as const;
}

type LibraryOptions = { users: Users; prefix: string; deadline: number } & Partial<TypeOrmStoreOptions>;

/** Opens a store of each library on the database of a `DataSource`. A library is loaded when it is first used. */
export const LIBRARIES = {
  async Drizzle(database: DataSourceOptions, options: LibraryOptions, log?: (text: string) => void) {
    // Jest cannot load two modules at the same time that import the same one.
    const { DrizzleStore } = await import('nest-oauth2/stores/drizzle');
    const { openDrizzle } = await import('./sql-libraries.js');
    const { db, close } = await openDrizzle(database, log);
    return { store: new DrizzleStore(db, options), close };
  },
  async Prisma(database: DataSourceOptions, options: LibraryOptions, log?: (text: string) => void) {
    const { PrismaStore } = await import('nest-oauth2/stores/prisma');
    const { openPrisma } = await import('./prisma-client.js');
    const { db, close } = await openPrisma(database, log);
    return { store: new PrismaStore(db, options), close };
  },
};

/** A library that a store uses. */
type Library = 'TypeORM' | keyof typeof LIBRARIES;

const ALL_LIBRARIES: readonly Library[] = ['TypeORM', ...(Object.keys(LIBRARIES) as (keyof typeof LIBRARIES)[])];

/** Returns the databases, except for those in memory, with each of the libraries that `librariesOf` selects. */
async function findDatabasesWith(librariesOf: (index: number) => readonly Library[]): Promise<TestDatabase[]> {
  const databases = [SQLITE_IN_FILE, ...(await findServers())];
  return databases.flatMap((database, index) =>
    librariesOf(index).map((library) =>
      library === 'TypeORM' ? database : { name: `${database.name}, ${library}`, library, options: database.options },
    ),
  );
}

/** Returns the databases, except for those in memory, with each library. */
export const findDatabasesOfLibraries = () => findDatabasesWith(() => ALL_LIBRARIES);

/** A number that depends on the name of the test file, and increases with each call of `findDatabasesInTurn()`. */
let turn = Buffer.from(basename(expect.getState().testPath ?? '')).reduce((sum, byte) => sum + byte, 0);

/**
 * Returns the databases, except for those in memory, with one library each. The libraries take turns: each one is used
 * with each database in a third of the tests. All libraries send statements of one generator. The contract of storages,
 * the races and the generated histories run with each library, and so do all tests if the variable `EVERY_LIBRARY` is
 * set.
 */
export function findDatabasesInTurn(): Promise<TestDatabase[]> {
  if (process.env['EVERY_LIBRARY']) return findDatabasesOfLibraries();
  const first = turn++;
  return findDatabasesWith((index) => [ALL_LIBRARIES[(first + index) % ALL_LIBRARIES.length]!]);
}

export interface Opened {
  dataSource: DataSource;
  store: TypeOrmStore;
  /** Opens another pool on the same tables, as another process has it. */
  another(): Promise<{ dataSource: DataSource; store: TypeOrmStore }>;
  close(): Promise<void>;
}

const ourselves = `${process.pid.toString(36)}${Date.now().toString(36)}`;

/** Returns a table prefix used only by this process: others may run concurrently or may have left tables behind. */
export const ownPrefix = (name: string) => `${name}_${ourselves}_`;

/** Drops the tables that the migrations of a DataSource created. */
export async function undoMigrations(dataSource: DataSource): Promise<void> {
  for (let left = dataSource.migrations.length; left > 0; left--) await dataSource.undoLastMigration();
}

/** Opens a store whose tables have this prefix. */
export async function open(
  database: TestDatabase,
  prefix: string,
  {
    store: given,
    ...more
  }: { store?: Partial<TypeOrmStoreOptions>; timeout?: number } & Partial<DataSourceOptions> = {},
): Promise<Opened> {
  const { dispose, ...options } = database.options();
  const names = { entities: oauthEntities({ prefix }), migrations: oauthMigrations({ prefix }) };
  const connect = async () => {
    const all = { ...options, ...names, migrationsTableName: `${prefix}migrations`, ...more } as DataSourceOptions;
    const dataSource = await new DataSource(all).initialize();
    closing.push(() => dataSource.destroy());
    const storeOptions = { users, prefix, deadline: 50, ...given };
    if (!database.library) return { dataSource, store: new TypeOrmStore(dataSource, storeOptions) };
    const other = await LIBRARIES[database.library](options, storeOptions);
    closing.push(other.close);
    return { dataSource, store: other.store };
  };
  const closing: (() => Promise<unknown>)[] = [];
  const { dataSource, store } = await connect();
  await dataSource.runMigrations();
  const close = async () => {
    const [closeFirst, ...others] = closing;
    // A statement that is still running in another pool could cause a deadlock.
    await Promise.all(others.map((end) => end()));
    await undoMigrations(dataSource);
    await dataSource.query(`DROP TABLE ${prefix}migrations`);
    await closeFirst!();
    dispose?.();
  };
  return { dataSource, store, another: connect, close };
}
