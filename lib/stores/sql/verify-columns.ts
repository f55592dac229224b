import { InvalidArgumentError } from '../../errors/index.js';
import { CLIENT_COLUMNS, type Columns, GRANT_COLUMNS, ROW_COLUMNS } from '../contract/schema.js';
import type { Database } from './database.js';
import { rawSql, sql } from './sql.js';
import type { TableNames } from './table-names.js';

/** Returns the tables that do not exist or lack columns of this version. */
export async function findMissingTables(database: Database, names: TableNames): Promise<string[]> {
  const tables = [
    [names.clients, CLIENT_COLUMNS],
    [names.grants, GRANT_COLUMNS],
    [names.tokens, ROW_COLUMNS],
  ] as const;
  const missing: string[] = [];
  for (const [name, columns] of tables) if (!(await hasColumns(database, name, columns))) missing.push(name);
  return missing;
}

/**
 * Verifies that a database has all tables and columns of a store.
 * @param store the name of the store's class
 * @param remedy how to add the tables
 * @throws {InvalidArgumentError} If a table or a column is missing. The message names the table and the remedy.
 */
export async function verifyColumns(
  database: Database,
  names: TableNames,
  { store, remedy }: { store: string; remedy: string },
): Promise<void> {
  const missing = await findMissingTables(database, names);
  if (missing.length === 0) return;
  const tables = missing.map((name) => `\`${name}\``).join(', ');
  throw new InvalidArgumentError(
    `Invalid argument: The database lacks tables or columns of ${store} (${tables}). ${remedy}`,
  );
}

function hasColumns(database: Database, table: string, columns: Columns): Promise<boolean> {
  const list = Object.values(columns).map(({ name }) => name);
  return database.isValid(sql`SELECT ${rawSql(list.join(', '))} FROM ${database.table(table)} WHERE 1 = 0`);
}
