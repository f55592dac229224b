import type { GrantRow, Row, ConsumedRow } from '../contract/storage.js';
import { type Counters, MySqlCounters } from './counters.js';
import { grantExtension } from './grant-extension.js';
import { GRANT } from './records.js';
import { join, type Sql, sql } from './sql.js';
import { type SavedGrant, SqlStorage } from './sql-storage.js';

/**
 * The storage on MariaDB and MySQL. Its `consumeAndSave()` is a transaction: the used row stays locked until the new
 * rows are saved.
 */
export class MySqlStorage extends SqlStorage {
  consumeAndSave({ kind, digest, data }: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    const consume = sql`UPDATE ${this.tokens} t JOIN ${this.grants} g ON g.id = t.grant_id
      SET t.revoked_at = ${this.database.now}, t.data = COALESCE(${data ?? null}, t.data), ${grantExtension(grant, 'g.', 'g.')}
      WHERE t.digest = ${digest} AND t.kind = ${kind} AND t.revoked_at IS NULL`;
    return this.database.runAtomically([consume, this.insertRows(rows)]);
  }

  protected override async saveMany(all: readonly SavedGrant[]): Promise<void> {
    const values = join(all.map(({ grant }) => sql`(${this.grantValues(grant)})`));
    await this.database.change(sql`INSERT INTO ${this.grants} (${GRANT.names}) VALUES ${values}
      ON DUPLICATE KEY UPDATE last_used_at = COALESCE(VALUES(last_used_at), last_used_at),
      expires_at = GREATEST(expires_at, VALUES(expires_at)), expires_on = GREATEST(expires_on, VALUES(expires_on))`);
    await this.database.change(this.insertRows(all.flatMap(({ rows }) => rows)));
  }

  protected override get counters(): Counters {
    return new MySqlCounters(this.database, this.tokens);
  }

  protected override upsertGrant(grant: GrantRow): Sql {
    return sql`INSERT INTO ${this.grants} (${GRANT.names}) VALUES (${this.grantValues(grant)})
      ON DUPLICATE KEY UPDATE ${grantExtension(grant, '', '')}`;
  }
}
