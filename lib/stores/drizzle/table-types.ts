import type { BuildColumns, ColumnBuilderBase, Dialect, IsPrimaryKey, NotNull } from 'drizzle-orm';
import type * as mysql from 'drizzle-orm/mysql-core';
import type * as pg from 'drizzle-orm/pg-core';
import type * as sqlite from 'drizzle-orm/sqlite-core';

/** The columns of the tables, built by the functions of a dialect. Written down, because inferred types fill 36 KB. */
interface Columns<
  Id extends ColumnBuilderBase,
  Text extends ColumnBuilderBase,
  Time extends ColumnBuilderBase,
  Integer extends ColumnBuilderBase,
  Key extends ColumnBuilderBase = Id,
> {
  oauthClients: {
    id: IsPrimaryKey<NotNull<Id>>;
    secretHashes: NotNull<Text>;
    metadata: Text;
    generation: NotNull<Integer>;
    createdAt: NotNull<Time>;
  };
  oauthGrants: {
    id: IsPrimaryKey<NotNull<Id>>;
    clientId: NotNull<Id>;
    userId: Id;
    kind: NotNull<Key>;
    issuer: Text;
    scope: Text;
    data: Text;
    createdAt: NotNull<Time>;
    lastUsedAt: Time;
    expiresAt: NotNull<Time>;
    expiresOn: NotNull<Integer>;
    clientGeneration: NotNull<Integer>;
    revokedAt: Time;
  };
  oauthTokens: {
    digest: NotNull<Key>;
    kind: NotNull<Key>;
    grantId: NotNull<Id>;
    clientId: NotNull<Id>;
    userId: Id;
    issuer: Text;
    scope: Text;
    data: Text;
    expiresAt: NotNull<Time>;
    revokedAt: Time;
  };
}

type Strings = [string, ...string[]];

type PostgresColumns = Columns<
  pg.PgVarcharBuilderInitial<string, Strings, 255>,
  pg.PgTextBuilderInitial<string, Strings>,
  pg.PgBigInt53BuilderInitial<string>,
  pg.PgIntegerBuilderInitial<string>,
  pg.PgVarcharBuilderInitial<string, Strings, number>
>;

type MysqlText = ReturnType<ReturnType<typeof mysql.customType<{ data: string }>>>;
type MysqlColumns = Columns<
  MysqlText,
  MysqlText,
  mysql.MySqlBigInt53BuilderInitial<string>,
  mysql.MySqlIntBuilderInitial<string>
>;

type SqliteText = sqlite.SQLiteTextBuilderInitial<string, Strings, number | undefined>;
type SqliteInteger = sqlite.SQLiteIntegerBuilderInitial<string>;
type SqliteColumns = Columns<SqliteText, SqliteText, SqliteInteger, SqliteInteger>;

/** The configuration of a table of Drizzle with these columns. */
export interface OAuthTable<Builders extends Record<string, ColumnBuilderBase>, D extends Dialect> {
  name: string;
  schema: undefined;
  dialect: D;
  columns: BuildColumns<string, Builders, D>;
}

/** The types of the tables of the store for PostgreSQL. */
export interface PostgresTables {
  oauthClients: pg.PgTableWithColumns<OAuthTable<PostgresColumns['oauthClients'], 'pg'>>;
  oauthGrants: pg.PgTableWithColumns<OAuthTable<PostgresColumns['oauthGrants'], 'pg'>>;
  oauthTokens: pg.PgTableWithColumns<OAuthTable<PostgresColumns['oauthTokens'], 'pg'>>;
}

/** The types of the tables of the store for MySQL and MariaDB. */
export interface MysqlTables {
  oauthClients: mysql.MySqlTableWithColumns<OAuthTable<MysqlColumns['oauthClients'], 'mysql'>>;
  oauthGrants: mysql.MySqlTableWithColumns<OAuthTable<MysqlColumns['oauthGrants'], 'mysql'>>;
  oauthTokens: mysql.MySqlTableWithColumns<OAuthTable<MysqlColumns['oauthTokens'], 'mysql'>>;
}

/** The types of the tables of the store for SQLite. */
export interface SqliteTables {
  oauthClients: sqlite.SQLiteTableWithColumns<OAuthTable<SqliteColumns['oauthClients'], 'sqlite'>>;
  oauthGrants: sqlite.SQLiteTableWithColumns<OAuthTable<SqliteColumns['oauthGrants'], 'sqlite'>>;
  oauthTokens: sqlite.SQLiteTableWithColumns<OAuthTable<SqliteColumns['oauthTokens'], 'sqlite'>>;
}
