import type { GrantRow, Row, ConsumedRow } from '../storage.js';
import { newRow, ROW } from './records.js';
import { join, type Sql, sql, castTo } from './sql.js';
import { SqlStorage } from './sql-storage.js';

/** The storage on PostgreSQL. Each method is one statement: one round trip and one write to the log. */
export class PostgresStorage extends SqlStorage {
  override async save(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    if (grant && rows.length === 0) {
      await this.database.change(this.upsertGrant(grant));
      return;
    }
    // If two callers save the same new grant concurrently, the second one waits and then finds the grant.
    const grantStatement = grant
      ? sql`${this.upsertGrant(grant)} RETURNING id`
      : sql`SELECT id FROM ${this.grants} WHERE id = ${rows[0]?.grantId} AND revoked_at IS NULL`;
    await this.database.change(sql`WITH found AS (${grantStatement}) ${this.insertIfFound(rows)}`);
  }

  async consumeAndSave({ kind, digest, data }: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    const newData = castTo(data ?? null, 'text');
    const count = await this.database.change(sql`WITH found AS (
        UPDATE ${this.tokens} SET revoked_at = ${this.database.now}, data = COALESCE(${newData}, data)
        WHERE digest = ${digest} AND kind = ${kind} AND revoked_at IS NULL RETURNING grant_id
      ), used AS (
        UPDATE ${this.grants} AS g SET ${this.used(grant, '', 'g.')} FROM found WHERE g.id = found.grant_id
      ) ${this.insertIfFound(rows)}`);
    return count > 0;
  }

  private insertIfFound(rows: readonly Row[]): Sql {
    const values = join(rows.map((row) => sql`(${ROW.typedValues(newRow(row, this.database.now))})`));
    return sql`INSERT INTO ${this.tokens} (${ROW.names}) SELECT v.* FROM found, (VALUES ${values}) AS v`;
  }
}
