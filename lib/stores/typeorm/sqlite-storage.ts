import type { GrantRow, Row, ConsumedRow } from '../storage.js';
import { newRow, ROW } from './records.js';
import { join, sql } from './sql.js';
import { TypeOrmStorage } from './typeorm-storage.js';

/** SQLite spends and saves in a transaction of two statements, which nothing else can come between. */
export class SqliteStorage extends TypeOrmStorage {
  /** In one transaction: what takes the time is to wait for the disk, once for each of them. */
  override async keep(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    const inserts = rows.length > 0 ? [this.insertRows(rows)] : [];
    await this.database.runAtomically(grant ? [this.upsertGrant(grant), ...inserts] : inserts);
  }

  consumeAndSave({ kind, digest, data }: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    const { id: grantId, clientId, userId, issuer, expiresAt } = grant;
    const spent = { kind, digest, grantId, clientId, userId, issuer, expiresAt, scope: null, data: data ?? null };
    const records = [{ ...spent, revokedAt: this.database.now }, ...rows.map((row) => newRow(row, this.database.now))];
    const values = join(records.map((record) => sql`(${ROW.values(record)})`));
    // What is spent is there, so its row is changed. Of the others none is there: one that is fails, for it has no grant.
    const exchange = sql`INSERT INTO ${this.tokens} (${ROW.names}) SELECT * FROM (VALUES ${values}) WHERE EXISTS (
        SELECT 1 FROM ${this.tokens} WHERE digest = ${digest} AND kind = ${kind} AND revoked_at IS NULL)
      ON CONFLICT (digest, kind) DO UPDATE SET revoked_at = excluded.revoked_at, data = COALESCE(excluded.data, data),
        grant_id = CASE WHEN excluded.revoked_at IS NULL THEN NULL ELSE grant_id END`;
    return this.database.runAtomically([
      exchange,
      sql`UPDATE ${this.grants} SET ${this.used(grant, '', '')} WHERE id = ${grantId}`,
    ]);
  }
}
