import type { GrantRow, Row, ConsumedRow } from '../contract/storage.js';
import { grantExtension } from './grant-extension.js';
import { newRow, ROW } from './records.js';
import { join, sql } from './sql.js';
import { SqlStorage } from './sql-storage.js';

/**
 * The storage on SQLite. Its `consumeAndSave()` is a transaction of two statements. No other statement can run in
 * between.
 */
export class SqliteStorage extends SqlStorage {
  /** Saves a grant and its rows in one transaction, since SQLite waits for the disk at each transaction. */
  override async save(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    const inserts = rows.length > 0 ? [this.insertRows(rows)] : [];
    await this.database.runAtomically(grant ? [this.upsertGrant(grant), ...inserts] : inserts);
  }

  consumeAndSave({ kind, digest, data }: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    const { id: grantId, clientId, userId, issuer, expiresAt } = grant;
    const consumed = { kind, digest, grantId, clientId, userId, issuer, expiresAt, scope: null, data: data ?? null };
    const records = [
      { ...consumed, revokedAt: this.database.now },
      ...rows.map((row) => newRow(row, this.database.now)),
    ];
    const values = join(records.map((record) => sql`(${ROW.values(record)})`));
    // The used row exists, so the insert conflicts with it and updates it. The new rows must not exist: if one does,
    // the update sets its grant to null and fails.
    const exchange = sql`INSERT INTO ${this.tokens} (${ROW.names}) SELECT * FROM (VALUES ${values}) WHERE EXISTS (
        SELECT 1 FROM ${this.tokens} WHERE digest = ${digest} AND kind = ${kind} AND revoked_at IS NULL)
      ON CONFLICT (digest, kind) DO UPDATE SET revoked_at = excluded.revoked_at, data = COALESCE(excluded.data, data),
        grant_id = CASE WHEN excluded.revoked_at IS NULL THEN NULL ELSE grant_id END`;
    return this.database.runAtomically([
      exchange,
      sql`UPDATE ${this.grants} SET ${grantExtension(grant, '', '')} WHERE id = ${grantId}`,
    ]);
  }
}
