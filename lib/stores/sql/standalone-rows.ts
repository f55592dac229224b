import { FOREVER } from '../../tokens/lifetime.js';
import type { Database } from './database.js';
import { ROW } from './records.js';
import { type Identifier, rawSql, type Sql, sql } from './sql.js';

// The functions of this file access rows that belong to no grant: single-use values and texts. Counters are in
// `counters.ts`.

/**
 * Remembers a single-use value for a number of seconds. Returns `true` for exactly one of several concurrent callers,
 * and `false` until the seconds have passed.
 */
export async function markOnce(
  database: Database,
  rows: Identifier,
  digest: string,
  seconds: number,
): Promise<boolean> {
  const until = sql`${database.now} + ${Math.ceil(seconds * 1000)}`;
  const added = insertion(rows, { digest, kind: 'once', data: null, expiresAt: until });
  if (await database.add(added)) return true;
  // An expired row that is not pruned yet counts as missing.
  const again = sql`UPDATE ${rows} SET expires_at = ${until}
    WHERE digest = ${digest} AND kind = 'once' AND expires_at < ${database.now}`;
  return (await database.change(again)) > 0;
}

export async function readText(database: Database, rows: Identifier, name: string): Promise<string | undefined> {
  const query = sql`SELECT data FROM ${rows} WHERE digest = ${name} AND kind = 'text'`;
  const [row] = await database.find<{ data: string }>(query);
  return row?.data;
}

export async function replaceText(
  database: Database,
  rows: Identifier,
  { name, old, text }: { name: string; old: string | undefined; text: string },
): Promise<boolean> {
  if (old === undefined) {
    return database.add(insertion(rows, { digest: name, kind: 'text', data: text, expiresAt: FOREVER }));
  }
  const update = sql`UPDATE ${rows} SET data = ${text} WHERE digest = ${name} AND kind = 'text' AND data = ${old}`;
  return (await database.change(update)) > 0;
}

/** Returns a statement that inserts a row that belongs to no grant. */
export function insertion(
  rows: Identifier,
  row: { digest: string; kind: string; data: string | null; expiresAt: Sql | number },
  alias?: 't',
): Sql {
  const none = { grantId: '', clientId: '', userId: null, issuer: null, scope: null, revokedAt: null };
  const table = alias ? sql`${rows} AS ${rawSql(alias)}` : rows;
  return sql`INSERT INTO ${table} (${ROW.names}) VALUES (${ROW.values({ ...none, ...row })})`;
}
