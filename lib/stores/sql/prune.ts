import { setImmediate } from 'node:timers/promises';

import type { Database } from './database.js';
import { join, type Identifier, type Sql, sql } from './sql.js';

interface Expired {
  table: Identifier;
  /** The primary key column of the table. */
  key: Sql;
  /** The SQL condition that expired rows fulfil. `indexColumn` is the column of the index with which they are found. */
  condition: Sql;
  indexColumn: Sql;
  /** A value before all values of `indexColumn`. Default: 0. */
  start?: string;
  batchSize: number;
  /** After it is aborted, no further statement begins. */
  signal: AbortSignal | undefined;
}

/**
 * Maximum number of rows to delete with one statement. Each key is a parameter, and PostgreSQL allows 65 535 of them.
 */
const MAX_BATCH = 10_000;
/**
 * Maximum number of rows to delete with one statement on SQLite, where it blocks the whole process for a few
 * milliseconds.
 */
const MAX_BLOCKING_BATCH = 100;

/**
 * Deletes expired rows in batches and by their keys, so that no statement locks many rows or a range of them. Returns
 * the number of deleted rows.
 */
export async function pruneTable(
  database: Database,
  { table, key, condition, indexColumn, start: first, batchSize, signal }: Expired,
): Promise<number> {
  const limit = Math.min(Math.max(Math.trunc(batchSize) || 1, 1), database.isBlocking ? MAX_BLOCKING_BATCH : MAX_BATCH);
  for (let count = 0, start: unknown = first ?? 0; ;) {
    if (signal?.aborted) return count;
    // An index keeps deleted rows as long as older transactions run. The lower bound skips the rows of earlier batches.
    const expired = await database.find<{ row_key: string; position: unknown }>(
      sql`SELECT ${key} AS row_key, ${indexColumn} AS position FROM ${table} WHERE ${condition} AND ${indexColumn} >= ${start}
        ORDER BY ${indexColumn} LIMIT ${limit}`,
    );
    if (expired.length === 0) return count;
    const keys = join(expired.map((row) => row.row_key));
    // Another process may have deleted some of the rows, or extended a grant.
    count += await database.change(sql`DELETE FROM ${table} WHERE ${key} IN (${keys}) AND ${condition}`);
    if (expired.length < limit) return count;
    start = expired.at(-1)!.position;
    // Waiting requests are handled between the batches.
    await setImmediate();
  }
}
