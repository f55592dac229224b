import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { setUp } from '../setup.js';
import { url } from './database.js';

// node bench/postgres/rows.js [--large 10000000] [--small 100000] [--seconds 20]
//
// Compares the pages that each statement of a store reads in a small and in a large database, and measures how many
// expired rows prune() deletes while tokens are saved and looked up. Each database is a schema of its own.

const { values } = parseArgs({
  options: {
    small: { type: 'string', default: '100000' },
    large: { type: 'string', default: '10000000' },
    seconds: { type: 'string', default: '20' },
  },
});

setUp();
const { DrizzleStore } = await import('nest-oauth2/stores/drizzle');
const { drizzle } = await import('drizzle-orm/node-postgres');
const { default: pg } = await import('pg');

const CLIENTS = 1000;
/** The rows that have expired, for the measurement of prune(). */
const EXPIRED = 100_000;
const DAY = 86_400_000;

/** Makes PostgreSQL send the plan of each statement, with the pages that it has read, as a notice. */
const EXPLAIN = [
  'session_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_analyze=on',
  'auto_explain.log_buffers=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_format=json',
  'auto_explain.log_level=notice',
  'client_min_messages=notice',
];

const settings = (entries) => entries.map((entry) => `-c ${entry}`).join(' ');

const users = { findById: (id) => ({ id }), findByCredentials: () => undefined };

/** Opens a store in a schema. `onPlan` receives the plan of each statement. */
function openStore(schema, { onPlan, connections = 1 } = {}) {
  const options = settings([`search_path=${schema}`, ...(onPlan ? EXPLAIN : [])]);
  const pool = new pg.Pool({ connectionString: url, max: connections, options });
  if (onPlan)
    pool.on('connect', (client) =>
      client.on('notice', ({ message = '' }) => {
        const start = message.indexOf('{');
        if (message.includes('plan:')) onPlan(JSON.parse(message.slice(start)));
      }),
    );
  return { store: new DrizzleStore(drizzle(pool), { users }), close: () => pool.end() };
}

/** Creates the tables in a schema, with this number of tokens and half as many grants. */
async function fill(schema, rows) {
  const client = new pg.Client({ connectionString: url, options: settings([`search_path=${schema}`]) });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}`);
  await client.query(readFileSync(new URL('../../docs/schema/postgresql.sql', import.meta.url), 'utf8'));
  // Indexes and keys are created after the rows, which is several times faster.
  const { rows: indexes } = await client.query(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = $1 AND indexname LIKE 'IDX%'`,
    [schema],
  );
  for (const { indexname } of indexes) await client.query(`DROP INDEX "${indexname}"`);
  const { rows: keys } = await client.query(
    `SELECT conname, conrelid::regclass AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE connamespace = $1::regnamespace AND contype = 'p'`,
    [schema],
  );
  for (const { name, conname } of keys) await client.query(`ALTER TABLE ${name} DROP CONSTRAINT "${conname}"`);

  const grants = rows / 2;
  const expiresAt = Date.now() + 14 * DAY;
  const digest = (text) => `translate(rtrim(encode(sha256((${text})::bytea), 'base64'), '='), '+/', '-_')`;
  const owner = (number) => `'client' || (${number}) % ${CLIENTS}, 'user' || (${number}) % ${Math.ceil(grants / 10)}`;
  await client.query(
    `INSERT INTO oauth_clients SELECT 'client' || n, '[]', '{"grants":["client_credentials"]}', 0, 0
      FROM generate_series(0, ${CLIENTS - 1}) n`,
  );
  await client.query(
    `INSERT INTO oauth_grants (id, client_id, user_id, scope, created_at, last_used_at, expires_at, expires_on, client_generation)
      SELECT ${digest("'grant' || n")}, ${owner('n')}, 'read', 0, ${expiresAt} + n, ${expiresAt} + n, (${expiresAt} + n) / ${DAY}, 0
      FROM generate_series(0, ${grants - 1}) n`,
  );
  await client.query(
    `INSERT INTO oauth_tokens (digest, kind, grant_id, client_id, user_id, scope, data, expires_at)
      SELECT ${digest("'token' || n")}, CASE n % 2 WHEN 0 THEN 'access' ELSE 'refresh' END, ${digest("'grant' || n / 2")},
        ${owner('n / 2')}, 'read', '{}', ${expiresAt} + n FROM generate_series(0, ${rows - 1}) n`,
  );
  for (const { name, conname, definition } of keys)
    await client.query(`ALTER TABLE ${name} ADD CONSTRAINT "${conname}" ${definition}`);
  for (const { indexdef } of indexes) await client.query(indexdef);
  await client.query('VACUUM ANALYZE');
  const { rows: sizes } = await client.query(
    `SELECT relname AS name, pg_table_size(oid)::float8 AS bytes, pg_indexes_size(oid)::float8 AS indexes
      FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' ORDER BY 1`,
    [schema],
  );
  await client.end();
  return sizes;
}

const nodesOf = (node) => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const pagesOf = ({ Plan }) => Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
const rowsOf = ({ Plan }) =>
  nodesOf(Plan)
    .filter((node) => node['Node Type'].includes('Scan'))
    .reduce(
      (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    );
const sumOf = (plans, measure) => plans.reduce((sum, plan) => sum + measure(plan), 0);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** The number of times that each operation is explained. The first time, PostgreSQL also reads its catalog. */
const ROUNDS = 7;

/** Returns the pages and rows that the statements of each operation read: medians of several rounds. */
async function explain(schema) {
  let plans = [];
  const { store, close } = openStore(schema, { onPlan: (plan) => plans.push(plan) });
  const measured = {};
  const step = async (title, run) => {
    plans = [];
    const result = await run();
    (measured[title] ??= []).push({ pages: sumOf(plans, pagesOf), rows: sumOf(plans, rowsOf) });
    return result;
  };
  for (let round = 0; round < ROUNDS; round++) await operate(store, step, round);
  await close();
  return Object.fromEntries(
    Object.entries(measured).map(([title, rounds]) => [
      title,
      { pages: median(rounds.map(({ pages }) => pages)), rows: median(rounds.map(({ rows }) => rows)) },
    ]),
  );
}

/** Runs every operation once, on records that no other round uses. */
async function operate(store, step, round) {
  const client = { id: 'client7', grants: [] };
  const user = { id: `user${round}` };
  const expiresAt = new Date(Date.now() + DAY);
  const grantId = `new grant ${round}`;
  const token = {
    accessToken: `access ${round}`,
    accessTokenExpiresAt: expiresAt,
    refreshToken: `refresh ${round}`,
    refreshTokenExpiresAt: expiresAt,
    scope: ['read'],
    grantId,
  };
  const code = { authorizationCode: `code ${round}`, expiresAt, scope: ['read'], grantId };
  await step('save two tokens and their grant', () => store.saveToken(token, client, user));
  await step('look up an access token', () => store.getAccessToken(token.accessToken));
  await step('look up a refresh token', () => store.getRefreshToken(token.refreshToken));
  await step('use a refresh token', () => store.revokeToken(token));
  await step('save a code', () => store.saveAuthorizationCode(code, client, user));
  await step('look up a code', () => store.getAuthorizationCode(code.authorizationCode));
  await step('use a code', () => store.revokeAuthorizationCode(code));
  await step('remember a single-use value', () => store.once(`value ${round}`, 60));
  await step('list the grants of a user', () => store.listGrants(user.id));
  await step('revoke a grant', () => store.revokeGrant(grantId));
  await step('revoke the grants of a user', () => store.revokeGrantsOf({ userId: `user${100 + round}` }));
  await step('revoke the grants of a client', () => store.revokeGrantsOf({ clientId: `client${500 + round}` }));
  await step('prune, nothing has expired', () => store.prune());
}

/** Deletes expired rows while other calls save and look up tokens. */
async function pruneUnderLoad(schema, seconds) {
  const admin = new pg.Client({ connectionString: url, options: settings([`search_path=${schema}`]) });
  await admin.connect();
  const expired = `UPDATE oauth_tokens SET expires_at = 1000 WHERE digest IN
    (SELECT digest FROM oauth_tokens WHERE expires_at > 1000 ORDER BY expires_at LIMIT ${EXPIRED})`;
  const { store, close } = openStore(schema, { connections: 16 });
  const client = { id: 'client7', grants: [] };
  let isRunning = true;
  let saved = 0;
  const load = async (worker) => {
    for (let turn = 0; isRunning; turn++) {
      const accessToken = `load ${worker} ${turn}`;
      await store.saveToken({ accessToken, accessTokenExpiresAt: new Date(Date.now() + DAY) }, client, {
        id: 'loader',
      });
      await store.getAccessToken(accessToken);
      saved++;
    }
  };
  let deleted = 0;
  let pruning = 0;
  const began = performance.now();
  const workers = Array.from({ length: 8 }, (_, worker) => load(worker));
  while (performance.now() - began < seconds * 1000) {
    await admin.query(expired);
    const start = performance.now();
    deleted += await store.prune();
    pruning += performance.now() - start;
  }
  isRunning = false;
  await Promise.all(workers);
  const elapsed = (performance.now() - began) / 1000;
  await close();
  await admin.end();
  return { deletedPerSecond: Math.round(deleted / (pruning / 1000)), savedPerSecond: Math.round(saved / elapsed) };
}

const megabytes = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`;
const sizes = [Number(values.small), Number(values.large)];
const schemas = ['nest_oauth2_rows_small', 'nest_oauth2_rows_large'];
const explained = [];
for (const [at, schema] of schemas.entries()) {
  const began = performance.now();
  const tables = await fill(schema, sizes[at]);
  console.log(
    `${sizes[at].toLocaleString('en')} tokens, filled in ${Math.round((performance.now() - began) / 1000)} s:`,
  );
  for (const { name, bytes, indexes } of tables)
    console.log(`  ${name}: ${megabytes(bytes)}, indexes ${megabytes(indexes)}`);
  explained.push(await explain(schema));
}
const [small, large] = explained;
const label = sizes.map((size) => size.toLocaleString('en'));
console.log(
  `\n| operation | pages at ${label[0]} | pages at ${label[1]} | rows at ${label[0]} | rows at ${label[1]} |`,
);
console.log('| --- | --: | --: | --: | --: |');
for (const [title, { pages, rows }] of Object.entries(small))
  console.log(`| ${title} | ${pages} | ${large[title].pages} | ${rows} | ${large[title].rows} |`);
const { deletedPerSecond, savedPerSecond } = await pruneUnderLoad(schemas[1], Number(values.seconds));
console.log(
  `\nprune() at ${label[1]}: ${deletedPerSecond} rows per second, while ${savedPerSecond} tokens per second were saved and looked up`,
);

const cleaner = new pg.Client({ connectionString: url });
await cleaner.connect();
for (const schema of schemas) await cleaner.query(`DROP SCHEMA ${schema} CASCADE`);
await cleaner.end();
