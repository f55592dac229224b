import { hash } from 'node:crypto';

import { type DataSource, QueryFailedError, type QueryRunner } from 'typeorm';

import type { Result, Statement } from './connections.js';

/** A client of `pg`, as far as it is used here. */
interface PostgresClient {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[]; rowCount: number }>;
}

/** Statements with more values than this have a text for each number of them: names of those would fill the server. */
const MOST = 64;
const names = new Map<string, string>();

/**
 * Runs a statement of PostgreSQL under a name, by which each connection parses and plans it only once: that is half of
 * what a lookup costs the server. TypeORM does not do that, so it is done on its connection.
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
    throw new QueryFailedError(text, values, error as Error);
  }
}

/** The name says the text: two stores on one connection must not share one. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `oauth2_${hash('sha1', text, 'base64url')}`));
  return name;
}
