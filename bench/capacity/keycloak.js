import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { applicationName, CONNECTIONS } from '../postgres/database.js';
import { install, startProcess, version } from './keycloak-process.js';

// Keycloak in production mode, with its default features and its default heap, on a database of its own.
//
// Differences from the other servers:
// - Brute force protection is off: it would be part of sign-in, which is not measured.
// - The user's password is hashed with one iteration, because only the preparation of a measurement signs in.
// - Keycloak keeps user sessions in the database. The client credentials grant creates a session in memory only, so that
//   a token request writes nothing to the database.
// - `revokeRefreshToken` lets each refresh token be used once, as refresh token rotation does.

const REALM = 'bench';
const TWO_WEEKS = 1_209_600;
const START_TIMEOUT = 180_000;

/**
 * Starts Keycloak on the PostgreSQL server of `databaseUrl`, in a database that `close()` drops. Resolves to `undefined`
 * if Keycloak cannot be installed.
 * @param options `algorithm`: the algorithm that signs access tokens and ID tokens, such as `ES256`. `name`: the name under
 *   which PostgreSQL lists the connections.
 * @returns `pids()`: the process of Java. Its CPU time is in `/proc/<pid>/stat`. The sum of `schedstat` over its threads
 *   loses the time of threads that have ended.
 */
export async function startKeycloak({ databaseUrl, algorithm = 'RS256', name = applicationName(process.pid) }) {
  const absent = await install();
  if (absent) {
    console.log(`Keycloak: skipped, ${absent}`);
    return undefined;
  }
  const { jdbcUrl, username, password, drop } = await createDatabase(databaseUrl, name);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const admin = { id: 'admin-of-the-benchmark', secret: randomBytes(16).toString('hex') };
  const server = startProcess({
    KC_DB_URL: jdbcUrl,
    KC_DB_USERNAME: username,
    KC_DB_PASSWORD: password,
    KC_DB_POOL_INITIAL_SIZE: String(CONNECTIONS),
    KC_DB_POOL_MIN_SIZE: String(CONNECTIONS),
    KC_DB_POOL_MAX_SIZE: String(CONNECTIONS),
    KC_HTTP_HOST: '127.0.0.1',
    KC_HTTP_PORT: String(port),
    KC_BOOTSTRAP_ADMIN_CLIENT_ID: admin.id,
    KC_BOOTSTRAP_ADMIN_CLIENT_SECRET: admin.secret,
  });
  const close = async () => {
    await server.stop();
    await drop();
  };
  try {
    await waitFor(`${url}/realms/master`, server);
    const secret = randomBytes(16).toString('hex');
    await importRealm(url, admin, realmOf(algorithm, secret));
    const requests = requestsOf(url, secret);
    await checkAlgorithm(url, requests.tokenRequest, algorithm);
    return { url, version, pids: server.pids, ...requests, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function createDatabase(databaseUrl, name) {
  const { default: pg } = await import('pg');
  const administrate = async (statement) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const database = `nest_oauth2_keycloak_${randomBytes(4).toString('hex')}`;
  await administrate(`CREATE DATABASE ${database}`);
  const { host, username, password } = new URL(databaseUrl);
  return {
    jdbcUrl: `jdbc:postgresql://${host}/${database}?ApplicationName=${name}`,
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    drop: () => administrate(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`),
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function waitFor(url, server) {
  const end = Date.now() + START_TIMEOUT;
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    if (!server.isRunning()) throw new Error(`Keycloak ended early: ${server.output()}`);
    if (Date.now() > end) throw new Error(`Keycloak does not respond: ${server.output()}`);
    await delay(200);
  }
}

const realmOf = (algorithm, secret) => ({
  realm: REALM,
  enabled: true,
  defaultSignatureAlgorithm: algorithm,
  revokeRefreshToken: true,
  refreshTokenMaxReuse: 0,
  bruteForceProtected: false,
  accessTokenLifespan: 3600,
  ssoSessionIdleTimeout: TWO_WEEKS,
  ssoSessionMaxLifespan: TWO_WEEKS,
  passwordPolicy: 'hashAlgorithm(pbkdf2-sha256) and hashIterations(1)',
  clients: [
    clientOf('machine', algorithm, secret, { serviceAccountsEnabled: true }),
    clientOf('web', algorithm, secret, { directAccessGrantsEnabled: true }),
  ],
  users: [
    {
      username: 'alice',
      enabled: true,
      firstName: 'Alice',
      lastName: 'Example',
      email: 'alice@example.com',
      emailVerified: true,
      credentials: [{ type: 'password', value: secret }],
    },
  ],
});

const clientOf = (clientId, algorithm, secret, settings) => ({
  clientId,
  secret,
  publicClient: false,
  standardFlowEnabled: false,
  attributes: { 'access.token.signed.response.alg': algorithm, 'id.token.signed.response.alg': algorithm },
  ...settings,
});

/** Creates the realm with the administration API, as the client that Keycloak creates at its first start. */
async function importRealm(url, { id, secret }, representation) {
  const { path, ...request } = tokenRequestOf('master', id, secret, { grant_type: 'client_credentials' });
  const { access_token: token } = await (await expectOk(fetch(url + path, request))).json();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await expectOk(fetch(`${url}/admin/realms`, { method: 'POST', headers, body: JSON.stringify(representation) }));
}

async function expectOk(sent) {
  const response = await sent;
  if (!response.ok) throw new Error(`Keycloak responded ${response.status}: ${await response.text()}`);
  return response;
}

const tokenRequestOf = (realm, id, secret, form) => ({
  method: 'POST',
  path: `/realms/${realm}/protocol/openid-connect/token`,
  headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}`, 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(form).toString(),
});

/** Returns the requests of the measurement. Each refresh token belongs to a session of its own. */
function requestsOf(url, secret) {
  const signIn = tokenRequestOf(REALM, 'web', secret, { grant_type: 'password', username: 'alice', password: secret });
  const newToken = async () => {
    const { path, ...request } = signIn;
    const { refresh_token: token } = await (await expectOk(fetch(url + path, request))).json();
    return token;
  };
  return {
    tokenRequest: tokenRequestOf(REALM, 'machine', secret, { grant_type: 'client_credentials' }),
    async refreshRequests(count) {
      const requests = [];
      let started = 0;
      const lane = async () => {
        while (started++ < count) {
          const form = { grant_type: 'refresh_token', refresh_token: await newToken() };
          requests.push(tokenRequestOf(REALM, 'web', secret, form));
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, lane));
      return requests;
    },
  };
}

async function checkAlgorithm(url, { path, ...request }, algorithm) {
  const { access_token: token } = await (await expectOk(fetch(url + path, request))).json();
  const { alg } = JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString());
  if (alg !== algorithm) throw new Error(`Keycloak signed with ${alg}. Expected ${algorithm}.`);
}
