import type { GrantRow, Row, ConsumedRow } from '../contract/storage.js';
import { grantRecord } from '../contract/schema.js';
import { type Counters, PostgresCounters } from './counters.js';
import { grantExtension } from './grant-extension.js';
import { GRANT, newRow, ROW } from './records.js';
import { join, paddedKeys, type Sql, sql, castTo } from './sql.js';
import { type SavedGrant, SqlStorage } from './sql-storage.js';

/** The storage on PostgreSQL. Each method is one statement: one round trip and one write to the log. */
export class PostgresStorage extends SqlStorage {
  protected override async saveOne(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
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

  /** Reads the values from JSON, so that one prepared statement serves any number of grants. */
  protected override async saveMany(all: readonly SavedGrant[]): Promise<void> {
    const { now } = this.database;
    const grants = GRANT.recordset(
      all.map(({ grant: given }) =>
        Object.assign(grantRecord(given), { is_used_now: given.lastUsedAt === given.createdAt }),
      ),
      'is_used_now',
      'boolean',
    );
    const grant = GRANT.references('x');
    const grantValues = GRANT.values({
      ...grant,
      createdAt: now,
      lastUsedAt: sql`CASE WHEN x.is_used_now THEN ${now} ELSE x.last_used_at END`,
      clientGeneration: this.generationOf(grant.clientId),
    });
    const rows = ROW.recordset(
      all.flatMap(({ rows: saved }) => saved.map((row) => ({ ...row, revokedAt: null }))),
      'lifetime',
      'bigint',
    );
    const row = ROW.references('x');
    const rowValues = ROW.values({ ...row, expiresAt: sql`COALESCE(${now} + x.lifetime, x.expires_at)` });
    await this.database.change(sql`WITH found AS (
        INSERT INTO ${this.grants} AS g (${GRANT.names}) SELECT ${grantValues} FROM ${grants}
        ON CONFLICT (id) DO UPDATE SET last_used_at = COALESCE(EXCLUDED.last_used_at, g.last_used_at),
        expires_at = GREATEST(g.expires_at, EXCLUDED.expires_at),
        expires_on = GREATEST(g.expires_on, EXCLUDED.expires_on)
        WHERE g.revoked_at IS NULL RETURNING id
      ) INSERT INTO ${this.tokens} (${ROW.names}) SELECT ${rowValues} FROM ${rows} JOIN found ON found.id = x.grant_id`);
  }

  async consumeAndSave({ kind, digest, data }: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    const newData = castTo(data ?? null, 'text');
    const count = await this.database.change(sql`WITH found AS (
        UPDATE ${this.tokens} SET revoked_at = ${this.database.now}, data = COALESCE(${newData}, data)
        WHERE digest = ${digest} AND kind = ${kind} AND revoked_at IS NULL RETURNING grant_id
      ), used AS (
        UPDATE ${this.grants} AS g SET ${grantExtension(grant, '', 'g.')} FROM found WHERE g.id = found.grant_id
      ) ${this.insertIfFound(rows)}`);
    return count > 0;
  }

  /** Looks up one digest after the other. Without statistics, a join would compare every token with every grant. */
  protected override rowsOf(rows: Sql, digests: readonly string[]): Sql {
    const values = join(paddedKeys(digests).map((digest) => sql`(${digest})`));
    return sql`SELECT f.* FROM (VALUES ${values}) AS k (digest)
      CROSS JOIN LATERAL (${rows} AND t.digest = k.digest OFFSET 0) AS f`;
  }

  /** PostgreSQL does not infer the types of values in the list of `SELECT`. */
  override valuesOf(row: Row): Sql {
    return ROW.typedValues(newRow(row, this.database.now));
  }

  protected override get counters(): Counters {
    return new PostgresCounters(this.database, this.tokens);
  }

  private insertIfFound(rows: readonly Row[]): Sql {
    const values = join(rows.map((row) => sql`(${ROW.typedValues(newRow(row, this.database.now))})`));
    return sql`INSERT INTO ${this.tokens} (${ROW.names}) SELECT v.* FROM found, (VALUES ${values}) AS v`;
  }
}
