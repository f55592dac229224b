import * as mysql from 'drizzle-orm/mysql-core';
import * as pg from 'drizzle-orm/pg-core';
import * as sqlite from 'drizzle-orm/sqlite-core';

import { indexName } from '../sql/index-name.js';
import { tableNames, type TableOptions } from '../sql/table-names.js';
import type { MysqlTables, PostgresTables, SqliteTables } from './table-types.js';

/** The databases of `oauthTables()`. MariaDB and MySQL have different names for a collation. */
export type TableDialect = 'postgresql' | 'mysql' | 'mariadb' | 'sqlite';

type Tables<D extends TableDialect> = D extends 'postgresql'
  ? PostgresTables
  : D extends 'sqlite'
    ? SqliteTables
    : MysqlTables;

/**
 * Returns the tables of the store, for the schema of Drizzle. Export them, so that `drizzle-kit` finds them.
 * @param dialect the database of the application
 * @param options the prefix of the store, if it has one
 */
export function oauthTables<D extends TableDialect>(dialect: D, { prefix }: TableOptions = {}): Tables<D> {
  const names = tableNames(prefix);
  if (dialect === 'postgresql') return postgresTables(names) as Tables<D>;
  if (dialect === 'sqlite') return sqliteTables(names) as Tables<D>;
  return mysqlTables(names, dialect === 'mariadb' ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin') as Tables<D>;
}

type Names = ReturnType<typeof tableNames>;

function postgresTables(names: Names): PostgresTables {
  const { varchar, text, bigint, integer, index, primaryKey } = pg;
  const id = (name: string) => varchar(name, { length: 255 });
  const time = (name: string) => bigint(name, { mode: 'number' });
  const oauthClients = pg.pgTable(names.clients, {
    id: id('id').primaryKey(),
    secretHashes: text('secret_hashes').notNull(),
    metadata: text('metadata'),
    generation: integer('generation').notNull(),
    createdAt: time('created_at').notNull(),
  });
  const oauthGrants = pg.pgTable(
    names.grants,
    {
      id: id('id').primaryKey(),
      clientId: id('client_id').notNull(),
      userId: id('user_id'),
      kind: varchar('kind', { length: 16 }).notNull(),
      issuer: text('issuer'),
      scope: text('scope'),
      data: text('data'),
      createdAt: time('created_at').notNull(),
      lastUsedAt: time('last_used_at'),
      expiresAt: time('expires_at').notNull(),
      expiresOn: integer('expires_on').notNull(),
      clientGeneration: integer('client_generation').notNull(),
      revokedAt: time('revoked_at'),
    },
    (table) => [
      index(indexName(names.grants, 'user_id', 'kind', 'revoked_at')).on(table.userId, table.kind, table.revokedAt),
      index(indexName(names.grants, 'client_id', 'client_generation')).on(table.clientId, table.clientGeneration),
      index(indexName(names.grants, 'expires_on')).on(table.expiresOn),
    ],
  );
  const oauthTokens = pg.pgTable(
    names.tokens,
    {
      digest: varchar('digest', { length: 43 }).notNull(),
      kind: varchar('kind', { length: 16 }).notNull(),
      grantId: id('grant_id').notNull(),
      clientId: id('client_id').notNull(),
      userId: id('user_id'),
      issuer: text('issuer'),
      scope: text('scope'),
      data: text('data'),
      expiresAt: time('expires_at').notNull(),
      revokedAt: time('revoked_at'),
    },
    (table) => [
      primaryKey({ columns: [table.digest, table.kind] }),
      index(indexName(names.tokens, 'expires_at')).on(table.expiresAt),
      index(indexName(names.tokens, 'grant_id')).on(table.grantId),
    ],
  );
  return { oauthClients, oauthGrants, oauthTokens };
}

/** The collation compares exactly, including upper and lower case and trailing spaces. */
function mysqlTables(names: Names, collation: string): MysqlTables {
  const { bigint, int: integer, index, primaryKey } = mysql;
  const exact = (type: string) =>
    mysql.customType<{ data: string }>({ dataType: () => `${type} CHARACTER SET utf8mb4 COLLATE ${collation}` });
  const varchar = (name: string, { length }: { length: number }) => exact(`varchar(${length})`)(name);
  const text = (name: string) => exact('text')(name);
  const id = (name: string) => varchar(name, { length: 255 });
  const time = (name: string) => bigint(name, { mode: 'number' });
  const oauthClients = mysql.mysqlTable(names.clients, {
    id: id('id').primaryKey(),
    secretHashes: text('secret_hashes').notNull(),
    metadata: text('metadata'),
    generation: integer('generation').notNull(),
    createdAt: time('created_at').notNull(),
  });
  const oauthGrants = mysql.mysqlTable(
    names.grants,
    {
      id: id('id').primaryKey(),
      clientId: id('client_id').notNull(),
      userId: id('user_id'),
      kind: varchar('kind', { length: 16 }).notNull(),
      issuer: text('issuer'),
      scope: text('scope'),
      data: text('data'),
      createdAt: time('created_at').notNull(),
      lastUsedAt: time('last_used_at'),
      expiresAt: time('expires_at').notNull(),
      expiresOn: integer('expires_on').notNull(),
      clientGeneration: integer('client_generation').notNull(),
      revokedAt: time('revoked_at'),
    },
    (table) => [
      index(indexName(names.grants, 'user_id', 'kind', 'revoked_at')).on(table.userId, table.kind, table.revokedAt),
      index(indexName(names.grants, 'client_id', 'client_generation')).on(table.clientId, table.clientGeneration),
      index(indexName(names.grants, 'expires_on')).on(table.expiresOn),
    ],
  );
  const oauthTokens = mysql.mysqlTable(
    names.tokens,
    {
      digest: varchar('digest', { length: 43 }).notNull(),
      kind: varchar('kind', { length: 16 }).notNull(),
      grantId: id('grant_id').notNull(),
      clientId: id('client_id').notNull(),
      userId: id('user_id'),
      issuer: text('issuer'),
      scope: text('scope'),
      data: text('data'),
      expiresAt: time('expires_at').notNull(),
      revokedAt: time('revoked_at'),
    },
    (table) => [
      primaryKey({ columns: [table.digest, table.kind] }),
      index(indexName(names.tokens, 'expires_at')).on(table.expiresAt),
      index(indexName(names.tokens, 'grant_id')).on(table.grantId),
    ],
  );
  return { oauthClients, oauthGrants, oauthTokens };
}

function sqliteTables(names: Names): SqliteTables {
  const { text, integer, index, primaryKey } = sqlite;
  const id = (name: string) => text(name);
  const time = (name: string) => integer(name);
  const oauthClients = sqlite.sqliteTable(names.clients, {
    id: id('id').primaryKey(),
    secretHashes: text('secret_hashes').notNull(),
    metadata: text('metadata'),
    generation: integer('generation').notNull(),
    createdAt: time('created_at').notNull(),
  });
  const oauthGrants = sqlite.sqliteTable(
    names.grants,
    {
      id: id('id').primaryKey(),
      clientId: id('client_id').notNull(),
      userId: id('user_id'),
      kind: text('kind').notNull(),
      issuer: text('issuer'),
      scope: text('scope'),
      data: text('data'),
      createdAt: time('created_at').notNull(),
      lastUsedAt: time('last_used_at'),
      expiresAt: time('expires_at').notNull(),
      expiresOn: integer('expires_on').notNull(),
      clientGeneration: integer('client_generation').notNull(),
      revokedAt: time('revoked_at'),
    },
    (table) => [
      index(indexName(names.grants, 'user_id', 'kind', 'revoked_at')).on(table.userId, table.kind, table.revokedAt),
      index(indexName(names.grants, 'client_id', 'client_generation')).on(table.clientId, table.clientGeneration),
      index(indexName(names.grants, 'expires_on')).on(table.expiresOn),
    ],
  );
  const oauthTokens = sqlite.sqliteTable(
    names.tokens,
    {
      digest: text('digest').notNull(),
      kind: text('kind').notNull(),
      grantId: id('grant_id').notNull(),
      clientId: id('client_id').notNull(),
      userId: id('user_id'),
      issuer: text('issuer'),
      scope: text('scope'),
      data: text('data'),
      expiresAt: time('expires_at').notNull(),
      revokedAt: time('revoked_at'),
    },
    (table) => [
      primaryKey({ columns: [table.digest, table.kind] }),
      index(indexName(names.tokens, 'expires_at')).on(table.expiresAt),
      index(indexName(names.tokens, 'grant_id')).on(table.grantId),
    ],
  );
  return { oauthClients, oauthGrants, oauthTokens };
}
