import { createServer } from 'node:http';
import { oauthProvider } from '@better-auth/oauth-provider';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { jwt } from 'better-auth/plugins';
import { requiredScope } from '../fixtures.js';
import { openPool } from './database.js';
import { listen, sendJson } from './plain-http.js';

const URL_OF_SERVER = 'http://127.0.0.1';

/**
 * Starts better-auth on `node:http` with the tables of its own migrations. A guarded request calls its introspection in
 * the same process.
 */
export async function serve() {
  const pool = await openPool();
  const schema = `bench_${process.pid}`;
  await pool.query(`CREATE SCHEMA ${schema}`);
  pool.on('connect', (connection) => connection.query(`SET search_path TO ${schema}`));
  await pool.query(`SET search_path TO ${schema}`);
  const auth = betterAuth({
    baseURL: URL_OF_SERVER,
    secret: 'of-the-benchmark-and-of-nothing-else-in-the-world',
    database: pool,
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    logger: { disabled: true },
    telemetry: { enabled: false },
    plugins: [
      jwt(),
      oauthProvider({
        loginPage: '/login',
        consentPage: '/consent',
        scopes: ['openid', requiredScope],
        clientPrivileges: () => true,
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      }),
    ],
  });
  const { runMigrations } = await getMigrations(auth.options);
  await runMigrations();
  const client = await newClient(auth);

  const authorization = `Basic ${btoa(`${client.id}:${client.secret}`)}`;
  const asked = new Request(`${URL_OF_SERVER}/api/auth/oauth2/introspect`, {
    method: 'POST',
    headers: { authorization },
  });
  const answer = toNodeHandler(auth);
  const server = createServer(async (request, response) => {
    if (request.url !== '/guarded') return answer(request, response);
    const token = (request.headers.authorization ?? '').slice('Bearer '.length);
    const found = await auth.api.oauth2Introspect({
      request: asked,
      asResponse: false,
      body: { token, token_type_hint: 'access_token' },
    });
    if (!found.active) return sendJson(response, 401, { error: 'invalid_token' });
    if (!found.scope.split(' ').includes(requiredScope))
      return sendJson(response, 403, { error: 'insufficient_scope' });
    sendJson(response, 200, { ok: true });
  });
  return {
    url: await listen(server),
    tokenPath: '/api/auth/oauth2/token',
    client,
    async close() {
      server.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    },
  };
}

/** Registers a client. better-auth requires a signed-in user for it. */
async function newClient(auth) {
  const person = { name: 'Alice', email: 'alice@example.com', password: 'correct-horse-battery-staple' };
  const { headers: signedIn } = await auth.api.signUpEmail({ body: person, returnHeaders: true });
  const cookie = signedIn.getSetCookie().map((line) => line.split(';')[0]);
  const { client_id: id, client_secret: secret } = await auth.api.adminCreateOAuthClient({
    headers: new Headers({ cookie: cookie.join('; ') }),
    body: {
      client_name: 'web',
      grant_types: ['client_credentials'],
      response_types: [],
      client_credentials_scopes: [requiredScope],
      scope: requiredScope,
    },
  });
  return { id, secret };
}
