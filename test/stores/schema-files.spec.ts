import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';
import { getTableConfig as configOfMysql, type MySqlTable } from 'drizzle-orm/mysql-core';
import { getTableConfig as configOfPg, type PgTable } from 'drizzle-orm/pg-core';
import { getTableConfig as configOfSqlite, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { oauthTables } from 'nest-oauth2/stores/drizzle';
import { oauthMigrations } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';

import { modelsOf, type PrismaProvider } from './prisma-models.js';
import { currentMigrations } from './published-versions.js';
import { findServers, ownPrefix, SQLITE_IN_FILE, undoMigrations } from './typeorm-databases.js';

const FOLDER = fileURLToPath(new URL('../../docs/schema/', import.meta.url));
const FILES: Record<string, PrismaProvider> = {
  'SQLite in a file': 'sqlite',
  PostgreSQL: 'postgresql',
  MariaDB: 'mariadb',
};

const databases = [SQLITE_IN_FILE, ...(await findServers())];

// To write the files: WRITE_SCHEMA=1 npm test -- test/stores/schema-files
const expectFile = (name: string, text: string) => {
  if (process.env['WRITE_SCHEMA']) writeFileSync(`${FOLDER}${name}`, text);
  expect(readFileSync(`${FOLDER}${name}`, 'utf8')).toBe(text);
};

describe.each(databases)('the SQL file of the schema on $name', (database) => {
  it('has the statements of the TypeORM migrations', async () => {
    const statements = (await currentMigrations(database, 'oauth_')).flatMap(({ sql }) => sql);
    const text = statements.map((statement) => `${layOut(statement.trim())};\n`).join('\n');
    expectFile(`${FILES[database.name]}.sql`, text);
  });
});

describe.each(Object.values(FILES))('the models of Prisma for %s', (provider) => {
  it('have the columns, keys and indexes of the schema', () => {
    expectFile(`${provider}.prisma`, modelsOf(provider));
  });
});

/** Writes each column of a table on a line. */
const layOut = (statement: string) =>
  statement.startsWith('CREATE TABLE')
    ? statement.replace(/\((.*)\)/, (_, columns: string) => `(\n  ${columns.replaceAll(/, (?![^(]*\))/g, ',\n  ')}\n)`)
    : statement;

interface Described {
  columns: string[];
  primary: string[];
  indexes: string[][];
}

/** Returns the tables of Drizzle for a database. */
function tablesOfDrizzle(name: string, prefix: string): Described[] {
  const read = (config: {
    columns: { name: string; notNull: boolean; primary: boolean; getSQLType(): string }[];
    primaryKeys: { columns: { name: string }[] }[];
    indexes: { config: { name?: string; columns: unknown[] } }[];
  }): Described => ({
    columns: config.columns.map((column) => `${column.name} ${typeOf(column.getSQLType())} ${column.notNull}`),
    primary: [
      ...config.columns.filter((column) => column.primary),
      ...config.primaryKeys.flatMap(({ columns }) => columns),
    ].map((column) => column.name),
    indexes: config.indexes.map(({ config: index }) => [
      index.name!,
      ...index.columns.map((column) => (column as { name: string }).name),
    ]),
  });
  if (name === 'PostgreSQL') {
    return Object.values(oauthTables('postgresql', { prefix })).map((table) => read(configOfPg(table as PgTable)));
  }
  if (name === 'MariaDB') {
    return Object.values(oauthTables('mariadb', { prefix })).map((table) => read(configOfMysql(table as MySqlTable)));
  }
  return Object.values(oauthTables('sqlite', { prefix })).map((table) => read(configOfSqlite(table as SQLiteTable)));
}

/** Returns a type as TypeORM reads it from the database. On SQLite, the types of a kind do not differ. */
const typeOf = (type: string) =>
  type
    .replace('character varying', 'varchar')
    .replace(/^int(\(\d+\))?$/, 'integer')
    .replace(/^bigint\(\d+\)$/, 'bigint');

describe.each(databases)('the Drizzle tables on $name', ({ name, options }) => {
  it('are those of the TypeORM migrations', async () => {
    const prefix = ownPrefix('drizzled');
    const { dispose, ...given } = options();
    const migrationsTableName = `${prefix}migrations`;
    const source = await new DataSource({
      ...given,
      migrations: oauthMigrations({ prefix }),
      migrationsTableName,
    }).initialize();
    await source.runMigrations();
    const runner = source.createQueryRunner();
    const found = await Promise.all(
      ['clients', 'grants', 'tokens'].map(async (table): Promise<Described> => {
        const { columns, indices } = (await runner.getTable(`${prefix}${table}`))!;
        const type = (column: (typeof columns)[number]) => {
          const length = column.type.includes('char') ? `(${column.length || 255})` : '';
          const collation = column.collation ? ` CHARACTER SET utf8mb4 COLLATE ${column.collation}` : '';
          return typeOf(column.type + length) + collation;
        };
        return {
          columns: columns.map((column) => `${column.name} ${type(column)} ${!column.isNullable}`),
          primary: columns.filter((column) => column.isPrimary).map((column) => column.name),
          indexes: indices.map((index) => [index.name!].concat(index.columnNames)),
        };
      }),
    );
    await runner.release();
    await undoMigrations(source);
    await source.query(`DROP TABLE ${migrationsTableName}`);
    await source.destroy();
    dispose?.();
    const simple = (column: string) =>
      name.startsWith('SQLite') ? column.replace(/varchar\(\d+\)/, 'text').replace('bigint', 'integer') : column;
    const plain = (tables: Described[]) =>
      tables.map(({ columns, primary, indexes }) => ({
        columns: columns.map(simple),
        primary,
        indexes: indexes.map(String).toSorted(),
      }));
    expect(plain(tablesOfDrizzle(name, prefix))).toEqual(plain(found));
  });
});
