import type { GrantRow, TokenRow } from '../storage.js';
import { grantValues, tokenValues } from './rows.js';
import { join, sql } from './sql.js';
import { TypeOrmStorage } from './typeorm-storage.js';

/** PostgreSQL keeps tokens and their grant in one statement: one way there and back, and one write to its log. */
export class PostgresStorage extends TypeOrmStorage {
  override async saveTokens(grant: GrantRow, accessToken: TokenRow, refreshToken?: TokenRow): Promise<void> {
    const rows = [tokenValues(accessToken, 'access')];
    if (refreshToken) rows.push(tokenValues(refreshToken, 'refresh'));
    // Two who come at once with a grant that is new: the second waits, and then finds it.
    await this.database.change(sql`WITH kept AS (
        INSERT INTO ${this.grants} AS g
          (id, client_id, user_id, scope, created_at, last_used_at, expires_at, revoked_at) VALUES ${grantValues(grant)}
        ON CONFLICT (id) DO UPDATE SET last_used_at = excluded.last_used_at,
          expires_at = GREATEST(g.expires_at, excluded.expires_at) WHERE g.revoked_at IS NULL
        RETURNING id
      ) INSERT INTO ${this.tokens} (digest, grant_id, client_id, user_id, scope, expires_at, revoked_at, kind)
      SELECT t.digest, t.grant_id, t.client_id, t.user_id, t.scope, CAST(t.expires_at AS bigint),
        CAST(t.revoked_at AS bigint), t.kind
      FROM kept, (VALUES ${join(rows)}) AS t (digest, grant_id, client_id, user_id, scope, expires_at, revoked_at, kind)`);
  }
}
