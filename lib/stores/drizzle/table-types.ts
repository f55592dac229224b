import type { BuildColumns, ColumnBuilderBase, Dialect, IsPrimaryKey, NotNull } from 'drizzle-orm';
import type * as mysql from 'drizzle-orm/mysql-core';
import type * as pg from 'drizzle-orm/pg-core';
import type * as sqlite from 'drizzle-orm/sqlite-core';

import type { CLIENT_COLUMNS, Column, Columns, GRANT_COLUMNS, ROW_COLUMNS } from '../contract/schema.js';

/** The builders of a dialect, by the type of a column. */
type Types = Record<Column['type'], ColumnBuilderBase>;

type Builder<C extends Column, T extends Types> = C extends { nullable: true }
  ? T[C['type']]
  : C extends { primary: true }
    ? IsPrimaryKey<NotNull<T[C['type']]>>
    : NotNull<T[C['type']]>;

/** The columns of a table of the schema, built by the functions of a dialect. */
type Builders<Table extends Columns, T extends Types> = {
  [Field in keyof Table]: Builder<Table[Field], T>;
};

type Strings = [string, ...string[]];

interface PostgresTypes extends Types {
  varchar: pg.PgVarcharBuilderInitial<string, Strings, number>;
  text: pg.PgTextBuilderInitial<string, Strings>;
  bigint: pg.PgBigInt53BuilderInitial<string>;
  integer: pg.PgIntegerBuilderInitial<string>;
}

type MysqlText = ReturnType<ReturnType<typeof mysql.customType<{ data: string }>>>;
interface MysqlTypes extends Types {
  varchar: MysqlText;
  text: MysqlText;
  bigint: mysql.MySqlBigInt53BuilderInitial<string>;
  integer: mysql.MySqlIntBuilderInitial<string>;
}

type SqliteText = sqlite.SQLiteTextBuilderInitial<string, Strings, number | undefined>;
type SqliteInteger = sqlite.SQLiteIntegerBuilderInitial<string>;
type SqliteTypes = Record<'varchar' | 'text', SqliteText> & Record<'bigint' | 'integer', SqliteInteger>;

/** The configuration of a table of Drizzle with these columns. */
export interface OAuthTable<Built extends Record<string, ColumnBuilderBase>, D extends Dialect> {
  name: string;
  schema: undefined;
  dialect: D;
  columns: BuildColumns<string, Built, D>;
}

type PostgresTable<Table extends Columns> = pg.PgTableWithColumns<OAuthTable<Builders<Table, PostgresTypes>, 'pg'>>;
type MysqlTable<Table extends Columns> = mysql.MySqlTableWithColumns<OAuthTable<Builders<Table, MysqlTypes>, 'mysql'>>;
type SqliteTable<Table extends Columns> = sqlite.SQLiteTableWithColumns<
  OAuthTable<Builders<Table, SqliteTypes>, 'sqlite'>
>;

/** The types of the tables of the store for PostgreSQL. */
export interface PostgresTables {
  oauthClients: PostgresTable<typeof CLIENT_COLUMNS>;
  oauthGrants: PostgresTable<typeof GRANT_COLUMNS>;
  oauthTokens: PostgresTable<typeof ROW_COLUMNS>;
}

/** The types of the tables of the store for MySQL and MariaDB. */
export interface MysqlTables {
  oauthClients: MysqlTable<typeof CLIENT_COLUMNS>;
  oauthGrants: MysqlTable<typeof GRANT_COLUMNS>;
  oauthTokens: MysqlTable<typeof ROW_COLUMNS>;
}

/** The types of the tables of the store for SQLite. */
export interface SqliteTables {
  oauthClients: SqliteTable<typeof CLIENT_COLUMNS>;
  oauthGrants: SqliteTable<typeof GRANT_COLUMNS>;
  oauthTokens: SqliteTable<typeof ROW_COLUMNS>;
}
