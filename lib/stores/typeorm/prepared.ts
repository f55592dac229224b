import { hash } from 'node:crypto';

import { type DataSource, QueryFailedError, type QueryRunner } from 'typeorm';

import { InvalidArgumentError } from '../../errors/index.js';
import type { Result, Statement } from './connections.js';

/** A client of `pg`, as far as it is used here. */
interface PostgresClient {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[]; rowCount: number }>;
}

/** Statements with more values than this have a text for each number of them: names of those would fill the server. */
const MOST = 64;
const names = new Map<string, string>();

/** A prepared statement does not exist on the connection, or exists already although this client did not prepare it. */
const SHARED = ['26000', '42P05'];

/**
 * Runs a prepared statement on PostgreSQL, so that each connection parses and plans it once. That saves half of the cost of a
 * lookup. TypeORM has no prepared statements, so this uses the connection directly.
 *
 * @throws {InvalidArgumentError} If a pooler such as PgBouncer shares the connection with other clients.
 */
export async function runPrepared(
  source: DataSource,
  runner: QueryRunner,
  { text, values }: Statement,
): Promise<Result> {
  if (values.length > MOST) return (await runner.query(text, values, true)) as Result;
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

/** The name says the text: two stores on one connection must not share one. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `oauth2_${hash('sha1', text, 'base64url')}`));
  return name;
}
