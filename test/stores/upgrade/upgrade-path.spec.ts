import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getTableConfig as configOfMysql } from 'drizzle-orm/mysql-core';
import { getTableConfig as configOfPg } from 'drizzle-orm/pg-core';
import { getTableConfig as configOfSqlite } from 'drizzle-orm/sqlite-core';
import * as drizzleStores from 'nest-oauth2/stores/drizzle';
import * as prismaStores from 'nest-oauth2/stores/prisma';
import * as typeormStores from 'nest-oauth2/stores/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { withEmptyDatabase } from '../empty-database.js';
import { openPrisma } from '../prisma-client.js';
import { modelsOf } from '../prisma-models.js';
import { currentMigrations, tokens } from '../published-versions.js';
import { openDrizzle } from '../sql-libraries.js';
import { findServers, SQLITE_IN_FILE, type TestDatabase, users, WEB } from '../typeorm-databases.js';
import { buildNextVersion, type PackageVersion } from './build-next.js';

const current: PackageVersion = { ...drizzleStores, ...prismaStores, ...typeormStores };
let next: PackageVersion;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ next, remove } = await buildNextVersion());
});
afterAll(() => remove());

type OpenStore = { store: typeormStores.TypeOrmStore & { checkSchema(): Promise<unknown> }; close(): Promise<unknown> };

/** How an application with one library installs and upgrades the tables, and opens the store of a version. */
interface Adapter {
  name: string;
  /** Creates the tables of a version in an empty database, or upgrades those of the version before. */
  migrate(database: TestDatabase, options: DataSourceOptions, version: PackageVersion): Promise<void>;
  open(options: DataSourceOptions, version: PackageVersion): Promise<OpenStore>;
}

const STORE_OPTIONS = { users, deadline: 50 };

async function query(options: DataSourceOptions, statements: readonly string[]): Promise<unknown> {
  const source = await new DataSource(options).initialize();
  let rows: unknown;
  for (const statement of statements) rows = await source.query(statement);
  await source.destroy();
  return rows;
}

/** Executes the statements that the SQL file of a version has at its end, behind those of the version before. */
async function runSqlFile(database: TestDatabase, options: DataSourceOptions, version: PackageVersion): Promise<void> {
  const migrations = await currentMigrations(database, 'oauth_', version.oauthMigrations());
  const added = version === current ? migrations : migrations.slice(current.oauthMigrations().length);
  await query(
    options,
    added.flatMap(({ sql }) => sql),
  );
}

/** Executes the statement that `drizzle-kit` generates for a column that only the tables of the next version have. */
async function runDrizzle(database: TestDatabase, options: DataSourceOptions, version: PackageVersion): Promise<void> {
  if (version === current) return runSqlFile(database, options, version);
  const columnsOf = ({ oauthTables }: PackageVersion) => {
    if (options.type === 'postgres') return configOfPg(oauthTables('postgresql').oauthGrants).columns;
    if (options.type === 'mariadb') return configOfMysql(oauthTables('mariadb').oauthGrants).columns;
    return configOfSqlite(oauthTables('sqlite').oauthGrants).columns;
  };
  const known = new Set(columnsOf(current).map(({ name }) => name));
  const added = columnsOf(version).filter(({ name }) => !known.has(name));
  expect(added.map(({ name, notNull }) => [name, notNull])).toEqual([['note', false]]);
  await query(
    options,
    added.map((column) => `ALTER TABLE oauth_grants ADD COLUMN ${column.name} ${column.getSQLType()}`),
  );
}

/** The engine of Prisma for migrations is a download, so the test runs the statement for the line of the new model. */
async function runPrisma(database: TestDatabase, options: DataSourceOptions, version: PackageVersion): Promise<void> {
  if (version === current) return runSqlFile(database, options, version);
  const provider = options.type === 'postgres' ? 'postgresql' : options.type === 'mariadb' ? 'mariadb' : 'sqlite';
  const linesOf = ({ oauthEntities }: PackageVersion) =>
    modelsOf(provider, oauthEntities())
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' ').trim());
  const known = new Set(linesOf(current));
  const added = linesOf(version).filter((line) => !known.has(line));
  expect(added).toEqual([provider === 'sqlite' ? 'note String?' : 'note String? @db.Text']);
  await query(options, ['ALTER TABLE oauth_grants ADD COLUMN note text']);
}

async function openTypeOrm(options: DataSourceOptions, version: PackageVersion): Promise<OpenStore> {
  const names = { entities: version.oauthEntities(), migrations: version.oauthMigrations() };
  const source = await new DataSource({ ...options, ...names }).initialize();
  return { store: new version.TypeOrmStore(source, STORE_OPTIONS), close: () => source.destroy() };
}

const ADAPTERS: Adapter[] = [
  {
    name: 'migrations of TypeORM',
    async migrate(_, options, { oauthMigrations }) {
      const source = await new DataSource({ ...options, migrations: oauthMigrations() }).initialize();
      await source.runMigrations();
      await source.destroy();
    },
    open: openTypeOrm,
  },
  { name: 'the SQL file', migrate: runSqlFile, open: openTypeOrm },
  {
    name: 'Drizzle',
    migrate: runDrizzle,
    async open(options, version) {
      const { db, close } = await openDrizzle(options);
      return { store: new version.DrizzleStore(db, STORE_OPTIONS), close };
    },
  },
  {
    name: 'Prisma',
    migrate: runPrisma,
    async open(options, version) {
      const { db, close } = await openPrisma(options);
      return { store: new version.PrismaStore(db, STORE_OPTIONS), close };
    },
  },
];

const databases = [SQLITE_IN_FILE, ...(await findServers())];
const cases = databases.flatMap((database) =>
  ADAPTERS.map((adapter) => ({ title: `${database.name} with ${adapter.name}`, database, adapter })),
);

describe.each(cases)('the upgrade of $title', ({ database, adapter }) => {
  it('lets two versions use the database at the same time', () =>
    withEmptyDatabase(database, async (options) => {
      const ALICE = { id: 'alice' };
      const refresh = async (store: OpenStore['store'], from: string, to: string, grant: string) => {
        const found = (await store.getRefreshToken(`refresh ${from}`))!;
        expect(await store.redeem(found, tokens(to, `grant of ${grant}`), WEB, ALICE)).toBeDefined();
      };
      await adapter.migrate(database, options, current);
      const old = await adapter.open(options, current);
      await old.store.saveClient(WEB);
      await old.store.saveToken(tokens('old', 'grant of old'), WEB, ALICE);
      const upgraded = await adapter.open(options, next);
      await expect(upgraded.store.checkSchema()).rejects.toThrow('`oauth_grants`');

      await adapter.migrate(database, options, next);
      await upgraded.store.checkSchema();
      await old.store.checkSchema();
      expect(await upgraded.store.getClient('web', null)).toMatchObject({ redirectUris: WEB.redirectUris });
      await refresh(upgraded.store, 'old', 'old, refreshed', 'old');
      expect(await old.store.getAccessToken('access old, refreshed')).toMatchObject({ user: ALICE });
      await upgraded.store.saveToken(tokens('new', 'grant of new'), WEB, ALICE);
      await refresh(old.store, 'new', 'new, refreshed', 'new');
      await old.store.saveToken(tokens('late', 'grant of late'), WEB, ALICE);
      expect(await upgraded.store.getAccessToken('access late')).toMatchObject({ scope: 'read', user: ALICE });
      expect(await query(options, ['SELECT id, note FROM oauth_grants ORDER BY id'])).toEqual([
        { id: 'grant of late', note: null },
        { id: 'grant of new', note: 'next' },
        { id: 'grant of old', note: null },
      ]);
      expect((await upgraded.store.listGrants('alice')).map(({ id }) => id).toSorted()).toEqual([
        'grant of late',
        'grant of new',
        'grant of old',
      ]);
      expect(await old.store.revokeGrantsOf({ userId: 'alice' })).toBe(3);
      for (const name of ['old, refreshed', 'new, refreshed', 'late'])
        expect(await upgraded.store.getAccessToken(`access ${name}`)).toBeFalsy();
      await old.close();
      await upgraded.close();
    }));
});
