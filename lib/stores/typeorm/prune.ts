import { setImmediate } from 'node:timers/promises';

import type { Database } from './database.js';
import { join, type Identifier, type Sql, sql } from './sql.js';

interface Expired {
  table: Identifier;
  /** The primary key. */
  key: Sql;
  /** Which rows, and the column of the index that finds them. */
  over: Sql;
  by: Sql;
  batchSize: number;
}

/** Each key is a parameter, and PostgreSQL takes 65 535 of them. */
const MOST = 10_000;
/** On SQLite, where everybody waits for a statement: a few milliseconds. */
const MOST_BLOCKING = 100;

/**
 * Deletes expired rows in batches and by their keys, so that no statement locks many rows or a range of them. Returns the
 * number of deleted rows.
 */
export async function pruneTable(database: Database, { table, key, over, by, batchSize }: Expired): Promise<number> {
  const limit = Math.min(Math.max(Math.trunc(batchSize) || 1, 1), database.isBlocking ? MOST_BLOCKING : MOST);
  for (let count = 0, start: unknown = 0; ;) {
    // The index keeps deleted rows while older transactions run. The lower bound skips those of earlier batches.
    const expired = await database.find<{ row_key: string; position: unknown }>(
      sql`SELECT ${key} AS row_key, ${by} AS position FROM ${table} WHERE ${over} AND ${by} >= ${start}
        ORDER BY ${by} LIMIT ${limit}`,
    );
    if (expired.length === 0) return count;
    const keys = join(expired.map((row) => row.row_key));
    // Another process may have pruned some of them, or a grant may have come to last longer.
    count += await database.change(sql`DELETE FROM ${table} WHERE ${key} IN (${keys}) AND ${over}`);
    if (expired.length < limit) return count;
    start = expired.at(-1)!.position;
    // Requests come first.
    await setImmediate();
  }
}
