import { register } from 'node:module';
import { threadTime } from '../cpu-time.js';
import { requiredScope } from '../fixtures.js';
import { applicationName, openPool } from './database.js';
import { batchingServers, servers } from './servers.js';

// One server on PostgreSQL in its own process. The parent process requests the CPU time used between `begin` and `end`:
// of this process, and of the backends of its connections if PostgreSQL runs on this machine.

const { load, options } = { ...servers, ...batchingServers }[process.argv[2]];
const { inFlight, ...more } = JSON.parse(process.argv[3] ?? '{}');
if (inFlight) register('./in-flight-hook.js', import.meta.url, { data: inFlight });
const { serve } = await load();
const { url, client, tokenPath = '/oauth/token', close } = await serve({ ...options, ...more });
const watch = await openPool();
watch.options.max = 1;
const tokenRequest = {
  method: 'POST',
  path: tokenPath,
  headers: {
    authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  },
  body: new URLSearchParams({ grant_type: 'client_credentials', scope: requiredScope }).toString(),
};

const tokens = [];
try {
  while (tokens.length < 64) tokens.push(await newToken());
  await check();
} catch (error) {
  await close();
  throw error;
}

let cpu;
let backends;
process.on('message', (message) => void respond(message));
process.on('disconnect', () => process.exit());
process.send({
  url,
  requests: {
    token: [tokenRequest],
    guarded: tokens.map((token) => ({
      method: 'GET',
      path: '/guarded',
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    })),
  },
});

async function respond(message) {
  if (message === 'begin') {
    globalThis.gc?.({ type: 'minor' });
    backends = await backendTimes();
    cpu = process.cpuUsage();
    process.send('ready');
  } else if (message === 'end') {
    const { user, system } = process.cpuUsage(cpu);
    process.send({ microseconds: user + system, backend: await backendTime(backends) });
  } else {
    await watch.end();
    await close();
    process.send('closed');
  }
}

async function newToken() {
  const answer = await fetch(url + tokenPath, tokenRequest);
  const { access_token: token, ...rest } = await answer.json();
  if (!token) throw new Error(`No token from ${process.argv[2]}: ${answer.status} ${JSON.stringify(rest)}`);
  return token;
}

/** Checks that the server works before it is measured. */
async function check() {
  const guarded = async (token) =>
    (await fetch(`${url}/guarded`, { headers: token ? { authorization: `Bearer ${token}` } : {} })).status;
  const [right, wrong] = [await guarded(tokens[0]), await guarded('unknown')];
  if (right !== 200 || wrong !== 401)
    throw new Error(`${process.argv[2]} does not protect the resource: ${right}, ${wrong}`);
  const refused = await fetch(url + tokenPath, {
    ...tokenRequest,
    headers: { ...tokenRequest.headers, authorization: `Basic ${btoa(`${client.id}:wrong`)}` },
  });
  if (refused.ok) throw new Error(`${process.argv[2]} accepts a wrong secret`);
}

/**
 * Returns the CPU microseconds of each PostgreSQL backend of this process. `undefined` if PostgreSQL runs on another
 * machine.
 */
async function backendTimes() {
  const { rows } = await watch.query('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [
    applicationName(process.pid),
  ]);
  try {
    return new Map(rows.map(({ pid }) => [pid, threadTime(pid)]));
  } catch {
    return undefined;
  }
}

/** Returns the CPU microseconds since `before`. Backends of connections that were closed since then were idle. */
async function backendTime(before) {
  const now = await backendTimes();
  if (!before || !now) return undefined;
  return Array.from(now, ([pid, time]) => time - (before.get(pid) ?? 0)).reduce((sum, time) => sum + time, 0);
}
