import type { RowKey, RowKinds } from '../contract/storage.js';
import type { Database } from './database.js';
import { type DatabaseRecord, ROW } from './records.js';
import { type Identifier, rawSql, type Sql, sql } from './sql.js';

/** The tables of a store. */
export interface Tables {
  readonly clients: Identifier;
  readonly grants: Identifier;
  readonly tokens: Identifier;
}

/** The parts of the look-up that differ between databases and stores. */
interface LookupParts {
  /** Whether the client is read together with the row. */
  readonly storesClients: boolean;
  /** SQL for the revision of the times of `revokeBefore()`. */
  readonly revision: Sql;
  /** Returns a query for the rows of several digests, made from a query for all rows. */
  rowsOf(rows: Sql, digests: readonly string[]): Sql;
}

/** Functions that find rows of active grants. */
interface RowLookups {
  /** Finds a row. Concurrent calls share statements. */
  findRow(key: RowKey): Promise<DatabaseRecord | undefined>;
  /** Returns the unused, unexpired rows of a grant that have one of the kinds. */
  listRows(grantId: string, kinds: RowKinds): Promise<DatabaseRecord[]>;
}

/** Returns functions that find rows of active grants. */
export function rowLookups(database: Database, { clients, grants, tokens }: Tables, parts: LookupParts): RowLookups {
  const columns = parts.storesClients ? sql`${ROW.of('t')}, c.id AS known_id, c.metadata` : ROW.of('t');
  // No index serves a difference, which is intended: without statistics, PostgreSQL would otherwise scan all grants
  // by generation.
  const rows = sql`SELECT ${columns}, ${database.now} - t.revoked_at AS revoked_ago,
    t.expires_at - ${database.now} AS expires_in, g.created_at AS granted_at, g.kind AS grant_kind,
    ${parts.revision} FROM ${tokens} t
    JOIN ${grants} g ON g.id = t.grant_id LEFT JOIN ${clients} c ON c.id = t.client_id
    WHERE g.revoked_at IS NULL AND g.client_generation - COALESCE(c.generation, 0) = 0`;
  const findRow = database.batched<RowKey, DatabaseRecord | undefined>({
    runOne: async ({ kind, digest }) => {
      const [record] = await database.find<DatabaseRecord>(sql`${rows} AND t.digest = ${digest} AND t.kind = ${kind}`);
      return record;
    },
    runMany: async (keys) => {
      const digests = keys.map(({ digest }) => digest);
      const records = await database.find<DatabaseRecord>(parts.rowsOf(rows, digests));
      const byKey = new Map(records.map((one) => [`${one['kind']} ${one['digest']}`, one]));
      return keys.map(({ kind, digest }) => byKey.get(`${kind} ${digest}`));
    },
  });
  const listRows = (grantId: string, kinds: RowKinds) =>
    database.find<DatabaseRecord>(sql`${rows} AND t.grant_id = ${grantId} AND t.revoked_at IS NULL
      AND t.kind IN (${rawSql(kinds.map((kind) => `'${kind}'`).join(', '))}) AND t.expires_at > ${database.now}`);
  return { findRow, listRows };
}
