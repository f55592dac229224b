import type { DataSource, QueryRunner } from 'typeorm';

import { InvalidArgumentError } from '../../errors/index.js';
import type { Database } from '../sql/database.js';
import { tableNames, type TableOptions } from '../sql/table-names.js';
import { findMissingTables } from '../sql/verify-columns.js';
import { oauthMigrations } from './migrations.js';

/**
 * Verifies that a database has all tables and columns of the store, and that no migration of `oauthMigrations()` is
 * pending. A database without records of these migrations, for example after `synchronize`, needs only the columns.
 * @throws {InvalidArgumentError} If an entity, a table, a column or a migration is missing. The message names the missing
 * entity, or the tables and migrations, and how to add them.
 */
export async function checkSchema(source: DataSource, database: Database, { prefix }: TableOptions): Promise<void> {
  const names = tableNames(prefix);
  const missing = await findMissingTables(database, names);
  const expected = oauthMigrations({ prefix }).map((Migration) => new Migration().name!);
  const executed = await database.within(() => findExecuted(source, expected));
  if (missing.length === 0 && executed.length === 0) return;
  const pending = expected.filter((name) => !executed.includes(name));
  if (missing.length === 0 && pending.length === 0) return;
  throw new InvalidArgumentError(`Invalid argument: ${describe({ source, prefix, missing, pending })}`);
}

/** Returns the recorded migrations among `expected`. Returns an empty list if there are no records of migrations. */
async function findExecuted(source: DataSource, expected: readonly string[]): Promise<string[]> {
  const { migrationsTableName = 'migrations', ...options } = source.options;
  const { schema } = options as { schema?: string };
  const path = source.driver.buildTableName(migrationsTableName, schema, source.driver.database);
  const runner: QueryRunner = source.createQueryRunner();
  try {
    if (!(await runner.hasTable(path))) return [];
    const query = source.createQueryBuilder(runner).select().from(path, migrationsTableName);
    const records: { name: string }[] = await query.getRawMany();
    return records.map(({ name }) => name).filter((name) => expected.includes(name));
  } finally {
    await runner.release();
  }
}

interface SchemaState {
  source: DataSource;
  prefix: string | undefined;
  /** The tables that do not exist or lack columns. */
  missing: readonly string[];
  /** The migrations that are not recorded as run. */
  pending: readonly string[];
}

function describe({ source, prefix, missing, pending }: SchemaState): string {
  const argument = prefix === undefined ? '' : `{ prefix: '${prefix}' }`;
  const tables = missing.map((name) => `\`${name}\``).join(', ');
  const state = missing.length > 0 ? `The database lacks tables or columns of TypeOrmStore (${tables})` : OUTDATED;
  if (pending.length === 0) return `${state}, although all migrations are recorded as run. ${RECREATE}`;
  const known = new Set(source.migrations.map(({ name }) => name));
  const unknown = pending.filter((name) => !known.has(name));
  const add = `Add \`...oauthMigrations(${argument})\` to the \`migrations\` of the DataSource, then run`;
  const list = pending.map((name) => `\`${name}\``).join(', ');
  return `${state}. Missing migrations: ${list}. ${unknown.length > 0 ? add : 'Run'} ${COMMAND}`;
}

const OUTDATED = 'The database has an older schema than TypeOrmStore';
const COMMAND =
  '`npx typeorm migration:run -d <file of the DataSource>`, or call `dataSource.runMigrations()`, before the application starts';
const RECREATE =
  'An unpublished version of the package made them. Drop these tables and their records in the migrations table, then run ' +
  COMMAND;
