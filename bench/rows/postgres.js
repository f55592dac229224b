import { readFileSync } from 'node:fs';
import { drizzle } from 'drizzle-orm/node-postgres';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import { Client, Pool } from 'pg';
import { url } from '../postgres/database.js';
import { CLIENTS, GRANTS_PER_USER, measureOperations } from './operations.js';

// The pages and rows that each statement reads, by the plans that PostgreSQL reports.

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

const schemaOf = (rows) => `nest_oauth2_rows_${rows}`;
const users = { findById: (id) => ({ id }), findByCredentials: () => undefined };

/** Opens a store in a schema. `onPlan` receives the plan of each statement. */
function openStore(schema, { onPlan, connections = 1 } = {}) {
  const options = settings([`search_path=${schema}`, ...(onPlan ? EXPLAIN : [])]);
  const pool = new Pool({ connectionString: url, max: connections, options });
  if (onPlan)
    pool.on('connect', (client) =>
      client.on('notice', ({ message = '' }) => {
        const start = message.indexOf('{');
        if (message.includes('plan:')) onPlan(JSON.parse(message.slice(start)));
      }),
    );
  return { store: new DrizzleStore(drizzle(pool), { users }), close: () => pool.end() };
}

const digest = (text) => `translate(rtrim(encode(sha256((${text})::bytea), 'base64'), '='), '+/', '-_')`;

/** Creates the tables in a schema, with this number of tokens and half as many grants. */
async function fill(schema, rows) {
  const client = new Client({ connectionString: url, options: settings([`search_path=${schema}`]) });
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
  const owner = (number) =>
    `'client' || (${number}) % ${CLIENTS}, 'user' || (${number}) % ${Math.ceil(grants / GRANTS_PER_USER)}`;
  await client.query(
    `INSERT INTO oauth_clients SELECT 'client' || n, '[]', '{"grants":["client_credentials"]}', 0, 0
      FROM generate_series(0, ${CLIENTS - 1}) n`,
  );
  await client.query(
    `INSERT INTO oauth_grants (id, client_id, user_id, kind, scope, created_at, last_used_at, expires_at, expires_on, client_generation)
      SELECT ${digest("'grant' || n")}, ${owner('n')}, 'tokens', 'read', 0, ${expiresAt} + n, ${expiresAt} + n, (${expiresAt} + n) / ${DAY}, 0
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
const sumOf = (plans, valueOf) => plans.reduce((sum, plan) => sum + valueOf(plan), 0);

/** Returns the pages and rows that the statements of each operation read: medians of several rounds. */
async function explain(schema) {
  let plans = [];
  const { store, close } = openStore(schema, { onPlan: (plan) => plans.push(plan) });
  const measured = await measureOperations(store, async (run) => {
    plans = [];
    const result = await run();
    return { result, values: { pages: sumOf(plans, pagesOf), rows: sumOf(plans, rowsOf) } };
  });
  await close();
  return measured;
}

/** Deletes expired rows while other calls save and look up tokens. */
async function pruneUnderLoad(schema, seconds) {
  const admin = new Client({ connectionString: url, options: settings([`search_path=${schema}`]) });
  await admin.connect();
  const expired = `UPDATE oauth_tokens SET expires_at = 1000 WHERE digest IN
    (SELECT digest FROM oauth_tokens WHERE expires_at > 1000 ORDER BY expires_at LIMIT ${EXPIRED})`;
  const { store, close } = openStore(schema, { connections: 16 });
  const client = { id: 'client7', grants: [] };
  const state = { isRunning: true };
  let saved = 0;
  const load = async (worker) => {
    for (let turn = 0; state.isRunning; turn++) {
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
  state.isRunning = false;
  await Promise.all(workers);
  const elapsed = (performance.now() - began) / 1000;
  await close();
  await admin.end();
  return { deletedPerSecond: Math.round(deleted / (pruning / 1000)), savedPerSecond: Math.round(saved / elapsed) };
}

export const title = 'PostgreSQL';
export const columns = { pages: 'pages', rows: 'rows' };

/** Fills a schema and measures each operation in it. */
export async function measureRows(rows) {
  const tables = await fill(schemaOf(rows), rows);
  return { sizes: tables, measured: await explain(schemaOf(rows)) };
}

/** Measures prune() under load in a schema that `measureRows()` has filled. */
export const measurePrune = (rows, seconds) => pruneUnderLoad(schemaOf(rows), seconds);

export async function drop(rows) {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${schemaOf(rows)} CASCADE`);
  await client.end();
}
