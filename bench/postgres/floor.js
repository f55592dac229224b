import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { requiredScope } from '../fixtures.js';
import { guardedController, start, tokenController } from '../http/applications.js';
import { guardBy } from '../http/candidates.js';
import { openPool } from './database.js';
import { listen, readForm, sendJson } from './plain-http.js';

const BASIC = /^Basic ([A-Za-z\d+/]+=*)$/i;
const BEARER = /^Bearer ([\w\-.~+/]+=*)$/i;
const digest = (value) => createHash('sha256').update(value).digest();

/**
 * Starts a server that is hand-written for this application: a table of clients, a table of tokens, secrets and tokens
 * as SHA-256.
 */
export async function serve({ platform }) {
  const pool = await openPool();
  const prefix = `bench_${process.pid}_`;
  await pool.query(
    `CREATE TABLE ${prefix}clients (id text PRIMARY KEY, secret bytea NOT NULL, scopes text[] NOT NULL)`,
  );
  await pool.query(`CREATE TABLE ${prefix}tokens (digest bytea PRIMARY KEY, client_id text NOT NULL, scope text NOT NULL,
    expires_at bigint NOT NULL, revoked_at bigint)`);
  await pool.query(`CREATE INDEX ON ${prefix}tokens (expires_at)`);
  const client = { id: 'web', secret: randomBytes(32).toString('base64url') };
  await pool.query(`INSERT INTO ${prefix}clients VALUES ($1, $2, $3)`, [
    client.id,
    digest(client.secret),
    [requiredScope],
  ]);
  const statements = {
    client: `SELECT secret, scopes FROM ${prefix}clients WHERE id = $1`,
    issue: `INSERT INTO ${prefix}tokens (digest, client_id, scope, expires_at) VALUES ($1, $2, $3, $4)`,
    check: `SELECT t.scope, t.expires_at FROM ${prefix}tokens t JOIN ${prefix}clients c ON c.id = t.client_id
      WHERE t.digest = $1 AND t.revoked_at IS NULL`,
  };
  const run = (name, values) => pool.query({ name, text: statements[name], values });
  const { authenticate, token } = endpoints(run);

  const close = async () => {
    await pool.query(`DROP TABLE ${prefix}clients, ${prefix}tokens`);
    await pool.end();
  };
  if (!platform) return { url: await listen(plainServer(authenticate, token)), client, close };
  const app = await start(platform, {
    controllers: [guardedController(guardBy(authenticate)), tokenController(token)],
  });
  return { url: await app.getUrl(), client, close: () => app.close().then(close) };
}

function endpoints(run) {
  return {
    async token({ headers, body }) {
      const match = BASIC.exec(headers.authorization ?? '');
      if (!match) return refusal(401, 'invalid_client');
      const [id, secret] = Buffer.from(match[1], 'base64').toString().split(':').map(decodeURIComponent);
      const [client] = (await run('client', [id])).rows;
      if (!client || !timingSafeEqual(client.secret, digest(secret ?? ''))) return refusal(401, 'invalid_client');
      if (body.grant_type !== 'client_credentials') return refusal(400, 'unsupported_grant_type');
      if (!client.scopes.includes(body.scope)) return refusal(400, 'invalid_scope');
      const accessToken = randomBytes(32).toString('hex');
      await run('issue', [digest(accessToken), id, body.scope, Date.now() + 3_600_000]);
      const issued = { access_token: accessToken, token_type: 'Bearer', expires_in: 3600, scope: body.scope };
      return { status: 200, headers: { 'cache-control': 'no-store', pragma: 'no-cache' }, body: issued };
    },
    async authenticate({ headers }) {
      const match = BEARER.exec(headers.authorization ?? '');
      if (!match) return refusal(401, 'invalid_token');
      const [found] = (await run('check', [digest(match[1])])).rows;
      if (!found || Number(found.expires_at) < Date.now()) return refusal(401, 'invalid_token');
      if (!found.scope.split(' ').includes(requiredScope)) return refusal(403, 'insufficient_scope');
      return {
        status: 200,
        headers: { 'x-accepted-oauth-scopes': requiredScope, 'x-oauth-scopes': found.scope },
        body: { ok: true },
      };
    },
  };
}

const refusal = (status, error) => ({ status, headers: {}, body: { error } });

function plainServer(authenticate, token) {
  return createServer(async (request, response) => {
    const { headers, url } = request;
    const answer =
      url === '/guarded' ? await authenticate({ headers }) : await token({ headers, body: await readForm(request) });
    sendJson(response, answer.status, answer.body, answer.headers);
  });
}
