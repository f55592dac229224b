import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { requiredScope } from '../fixtures.js';
import { openPool } from './database.js';
import { listen, sendJson } from './plain-http.js';

const client = {
  client_id: 'web',
  client_secret: 'a-secret-of-the-benchmark-which-is-kept-as-it-is',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  scope: requiredScope,
};

/**
 * Starts oidc-provider on its own HTTP server, with an adapter as in its documentation: one payload for each id. It
 * stores client secrets as plain text. It has no guard, so that its model looks up the token.
 * @param options `isStatic`: the client is part of the configuration. `isNamed`: the statements are prepared by name.
 */
export async function serve({ isStatic = false, isNamed = false }) {
  const pool = await openPool();
  const table = `bench_${process.pid}_payloads`;
  await pool.query(`CREATE TABLE ${table} (id text, type text, payload jsonb NOT NULL, grant_id text, user_code text,
    uid text, expires_at timestamptz, consumed_at timestamptz, PRIMARY KEY (id, type))`);
  await pool.query(`CREATE INDEX ON ${table} (grant_id)`);
  await pool.query(`CREATE INDEX ON ${table} (expires_at)`);
  const Adapter = adapterOf(pool, table, isNamed);
  if (!isStatic) await new Adapter('Client').upsert(client.client_id, client);

  const provider = new Provider('http://127.0.0.1', {
    adapter: Adapter,
    clients: isStatic ? [client] : [],
    scopes: [requiredScope],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    ttl: { ClientCredentials: 3600 },
    cookies: { keys: ['of-the-benchmark'] },
  });
  const answer = provider.callback();
  const server = createServer(async (request, response) => {
    if (request.url !== '/guarded') return answer(request, response);
    const token = await provider.ClientCredentials.find((request.headers.authorization ?? '').slice('Bearer '.length));
    if (!token?.isValid) return sendJson(response, 401, { error: 'invalid_token' });
    if (!token.scopes.has(requiredScope)) return sendJson(response, 403, { error: 'insufficient_scope' });
    sendJson(response, 200, { ok: true });
  });
  return {
    url: await listen(server),
    tokenPath: '/token',
    client: { id: client.client_id, secret: client.client_secret },
    async close() {
      server.close();
      await pool.query(`DROP TABLE ${table}`);
      await pool.end();
    },
  };
}

function adapterOf(pool, table, isNamed) {
  const query = (name, text, values) => pool.query({ ...(isNamed && { name }), text, values });

  return class PostgresAdapter {
    constructor(type) {
      this.type = type;
    }

    async upsert(id, payload, expiresIn) {
      const expiresAt = expiresIn ? new Date(Date.now() + expiresIn * 1000) : null;
      const { grantId = null, userCode = null, uid = null } = payload;
      await query(
        'upsert',
        `INSERT INTO ${table} (id, type, payload, grant_id, user_code, uid, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
          ON CONFLICT (id, type) DO UPDATE SET payload = $3, grant_id = $4, user_code = $5, uid = $6, expires_at = $7`,
        [id, this.type, payload, grantId, userCode, uid, expiresAt],
      );
    }

    find = (id) => this.findBy('id', id);
    findByUserCode = (userCode) => this.findBy('user_code', userCode);
    findByUid = (uid) => this.findBy('uid', uid);

    async findBy(column, value) {
      const text = `SELECT payload, expires_at, consumed_at FROM ${table} WHERE ${column} = $1 AND type = $2`;
      const [row] = (await query(`find-by-${column}`, text, [value, this.type])).rows;
      if (!row || (row.expires_at && row.expires_at < new Date())) return undefined;
      return { ...row.payload, ...(row.consumed_at && { consumed: true }) };
    }

    async consume(id) {
      await query('consume', `UPDATE ${table} SET consumed_at = now() WHERE id = $1 AND type = $2`, [id, this.type]);
    }

    async destroy(id) {
      await query('destroy', `DELETE FROM ${table} WHERE id = $1 AND type = $2`, [id, this.type]);
    }

    async revokeByGrantId(grantId) {
      await query('revoke', `DELETE FROM ${table} WHERE grant_id = $1`, [grantId]);
    }
  };
}
