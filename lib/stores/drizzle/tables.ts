import * as mysql from 'drizzle-orm/mysql-core';
import * as pg from 'drizzle-orm/pg-core';
import * as sqlite from 'drizzle-orm/sqlite-core';

import {
  CLIENT_COLUMNS,
  type Column,
  type Columns,
  GRANT_COLUMNS,
  GRANT_INDICES,
  ROW_COLUMNS,
  ROW_INDICES,
} from '../contract/schema.js';
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
  const { clients, grants, tokens } = tableNames(prefix);
  const functions = FUNCTIONS[dialect];
  return {
    oauthClients: table(functions, clients, CLIENT_COLUMNS, []),
    oauthGrants: table(functions, grants, GRANT_COLUMNS, GRANT_INDICES),
    oauthTokens: table(functions, tokens, ROW_COLUMNS, ROW_INDICES),
  } as unknown as Tables<D>;
}

/** A builder of a column, as far as it is the same for each dialect. */
interface Builder {
  notNull(): Builder;
  primaryKey(): Builder;
}

type BuiltColumns = Record<string, object>;

/** The functions of a dialect of Drizzle, as far as they have the same form for each dialect. */
interface Functions {
  table(name: string, columns: Record<string, Builder>, extras: (table: BuiltColumns) => object[]): object;
  index(name: string): { on(...columns: object[]): object };
  primaryKey(options: { columns: object[] }): object;
  types: Record<Column['type'], (name: string, length?: number) => Builder>;
}

const POSTGRES: Functions = {
  table: pg.pgTable,
  index: pg.index,
  primaryKey: pg.primaryKey,
  types: {
    varchar: (name, length) => pg.varchar(name, { length }),
    text: (name) => pg.text(name),
    bigint: (name) => pg.bigint(name, { mode: 'number' }),
    integer: (name) => pg.integer(name),
  },
};

const SQLITE: Functions = {
  table: sqlite.sqliteTable,
  index: sqlite.index,
  primaryKey: sqlite.primaryKey,
  types: {
    varchar: (name) => sqlite.text(name),
    text: (name) => sqlite.text(name),
    bigint: (name) => sqlite.integer(name),
    integer: (name) => sqlite.integer(name),
  },
};

/** The collation compares exactly, including upper and lower case and trailing spaces. */
function mysqlFunctions(collation: string): Functions {
  const exact = (type: string) =>
    mysql.customType<{ data: string }>({ dataType: () => `${type} CHARACTER SET utf8mb4 COLLATE ${collation}` });
  return {
    table: mysql.mysqlTable,
    index: mysql.index,
    primaryKey: mysql.primaryKey,
    types: {
      varchar: (name, length) => exact(`varchar(${length})`)(name),
      text: (name) => exact('text')(name),
      bigint: (name) => mysql.bigint(name, { mode: 'number' }),
      integer: (name) => mysql.int(name),
    },
  };
}

const FUNCTIONS: Record<TableDialect, Functions> = {
  postgresql: POSTGRES,
  mysql: mysqlFunctions('utf8mb4_0900_bin'),
  mariadb: mysqlFunctions('utf8mb4_nopad_bin'),
  sqlite: SQLITE,
};

function table({ types, ...functions }: Functions, name: string, columns: Columns, indices: string[][]): object {
  const fields = Object.keys(columns);
  const keys = fields.filter((field) => columns[field]!.primary);
  const built = fields.map((field): [string, Builder] => {
    const { type, length, nullable, primary, name: column } = columns[field]!;
    const builder = types[type](column, length);
    if (nullable) return [field, builder];
    return [field, primary && keys.length === 1 ? builder.notNull().primaryKey() : builder.notNull()];
  });
  return functions.table(name, Object.fromEntries(built), (of) => [
    ...(keys.length > 1 ? [functions.primaryKey({ columns: keys.map((field) => of[field]!) })] : []),
    ...indices.map((index) =>
      functions
        .index(indexName(name, ...index.map((field) => columns[field]!.name)))
        .on(...index.map((field) => of[field]!)),
    ),
  ]);
}
