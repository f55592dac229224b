import { hash } from 'node:crypto';

import { type DataSource, QueryFailedError, type QueryRunner } from 'typeorm';

import { InvalidArgumentError } from '../../errors/index.js';
import type { Result, Statement } from '../sql/connections.js';

/** The part of a `pg` client that is used here. */
interface PostgresClient {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[]; rowCount: number }>;
}

/**
 * Maximum number of values of a prepared statement. Longer statements vary in their number of values and would fill the
 * server.
 */
const MAX_VALUES = 64;
const names = new Map<string, string>();

/**
 * Error codes: a prepared statement does not exist on the connection, or exists although this client did not prepare
 * it.
 */
const SHARED = ['26000', '42P05'];

/**
 * Runs a prepared statement on PostgreSQL, so that each connection parses and plans it once. This saves half of the
 * cost of a look-up. TypeORM has no prepared statements, so this uses the connection directly.
 * @throws {InvalidArgumentError} If a pooler such as PgBouncer shares the connection with other clients.
 */
export async function runPrepared(
  source: DataSource,
  runner: QueryRunner,
  { text, values }: Statement,
): Promise<Result> {
  if (values.length > MAX_VALUES) return (await runner.query(text, values, true)) as Result;
  const client = (await runner.connect()) as PostgresClient;
  source.logger.logQuery(text, values, runner);
  try {
    const { rows, rowCount } = await client.query({ name: nameOf(text), text, values });
    return { records: rows, affected: rowCount };
  } catch (error) {
    source.logger.logQueryError(error as Error, text, values, runner);
    if (SHARED.includes(String((error as { code?: unknown }).code))) {
      throw new InvalidArgumentError(`Invalid argument: ${(error as Error).message}. ${REMEDY}`);
    }
    throw new QueryFailedError(text, values, error as Error);
  }
}

const REMEDY =
  'A pooler shares the connection between clients. Set `max_prepared_statements` of PgBouncer 1.21 or later, or ' +
  '`preparedStatements: false` of TypeOrmStore';

/** Returns the name of a prepared statement. It is a hash of the text, since two stores may share a connection. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `oauth2_${hash('sha1', text, 'base64url')}`));
  return name;
}
