import { CLIENT_COLUMNS, type Columns, GRANT_COLUMNS, ROW_COLUMNS } from '../contract/schema.js';
import type { Database } from './database.js';
import type { Dialect } from './dialect.js';
import { join, sql } from './sql.js';
import type { TableNames } from './table-names.js';

/** The store whose database is examined. */
interface ExaminedStore {
  /** The name of the store's class. */
  readonly store: string;
  /** Whether the store stops a statement at its deadline by itself. */
  readonly stopsStatements: boolean;
}

/**
 * Returns sentences about settings of a database with which the store works, but not as its documentation says: columns
 * whose collation ignores case or accents, and statements that may run longer than the deadline.
 */
export async function findSchemaWarnings(
  database: Database,
  names: TableNames,
  { store, stopsStatements }: ExaminedStore,
): Promise<string[]> {
  const { dialect } = database;
  const warnings: string[] = [];
  if (dialect === 'sqlite') return warnings;
  if (dialect === 'mysql') {
    const inexact = await findInexactColumns(database, names);
    if (inexact.length > 0) warnings.push(describeColumns(inexact));
  }
  // During development, a lock that lasts is rare.
  const isExamined = !stopsStatements && process.env['NODE_ENV'] === 'production';
  const setting = isExamined ? await findMissingLimit(database, dialect) : undefined;
  if (setting !== undefined) warnings.push(describeLimit(store, setting, database.seconds));
  return warnings;
}

/**
 * Returns the columns of the store whose collation ignores case, accents or both, on MariaDB or MySQL. Columns that the
 * application has added to the tables are its own matter.
 */
async function findInexactColumns(database: Database, { clients, grants, tokens }: TableNames): Promise<string[]> {
  const columns = new Map<string, Columns>([
    [clients, CLIENT_COLUMNS],
    [grants, GRANT_COLUMNS],
    [tokens, ROW_COLUMNS],
  ]);
  const records = await database.find<{ in_table: string; name: string }>(
    sql`SELECT TABLE_NAME AS in_table, COLUMN_NAME AS name FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${join([...columns.keys()])})
      AND COLLATION_NAME NOT LIKE ${'%bin'} ORDER BY in_table, name`,
  );
  const isOwn = (table: string, name: string) =>
    Object.values(columns.get(table) ?? {}).some((column) => column.name === name);
  return records.filter((one) => isOwn(one.in_table, one.name)).map((one) => `${one.in_table}.${one.name}`);
}

/** Returns the name of the setting that limits statements, if the database has one and it is not set. */
async function findMissingLimit(database: Database, dialect: Dialect): Promise<string | undefined> {
  if (dialect === 'postgresql') {
    const [record] = await database.find<{ value: string }>(sql`SELECT current_setting('statement_timeout') AS value`);
    return record?.value === '0' ? 'statement_timeout' : undefined;
  }
  if (dialect !== 'mysql') return undefined;
  // MySQL has no such setting for writes.
  const records = await database.find<{ Value: string }>(sql`SHOW VARIABLES LIKE 'max_statement_time'`);
  return records.some(({ Value: value }) => Number(value) === 0) ? 'max_statement_time' : undefined;
}

const describeColumns = (columns: readonly string[]): string =>
  `The collation of ${columns.slice(0, 3).join(', ')}${columns.length > 3 ? ` and ${columns.length - 3} more columns` : ''} ` +
  'ignores case or accents, so that ending the grants of one user may end those of another one. Run the migrations of the store, or ' +
  'set the collation of these columns to `utf8mb4_nopad_bin` on MariaDB or `utf8mb4_0900_bin` on MySQL.';

const describeLimit = (store: string, setting: string, seconds: number): string =>
  `A statement of ${store} that waits for a lock may run after the deadline of ${seconds} seconds, when its request has ` +
  `already failed: set \`${setting}\` of the database user to about ${seconds} seconds, or in the pool.`;
