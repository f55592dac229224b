import { Redis } from 'ioredis';
import { RedisStore } from 'nest-oauth2/stores/redis';
import { url } from '../stores/redis.js';
import { CLIENTS, GRANTS_PER_USER, measureOperations } from './operations.js';

// The commands that each operation runs, including those of the store's scripts, and the time that Redis takes for them.
// Both are counters of the whole server, so no other client may use it.

export const title = 'Redis';
export const columns = { commands: 'commands', microseconds: 'µs of Redis' };

const DAY = 86_400_000;
const LANES = 64;

const users = { findById: (id) => ({ id }), findByCredentials: () => undefined };
const prefixOf = (rows) => `nest_oauth2_rows_${rows}:`;

async function usedMemory(client) {
  return Number(/used_memory:(\d+)/.exec(await client.info('memory'))[1]);
}

/** Saves this number of tokens with the store: an access token and a refresh token for each grant. */
async function fill(client, store, rows) {
  const before = await usedMemory(client);
  const grants = rows / 2;
  const expiresAt = new Date(Date.now() + 14 * DAY);
  const clients = Array.from({ length: CLIENTS }, (_, number) => ({ id: `client${number}`, grants: [] }));
  let next = 0;
  const lane = async () => {
    for (let number = next++; number < grants; number = next++) {
      const token = {
        accessToken: `filled access ${number}`,
        accessTokenExpiresAt: expiresAt,
        refreshToken: `filled refresh ${number}`,
        refreshTokenExpiresAt: expiresAt,
        scope: ['read'],
        grantId: `8c6b1f6e-6f0e-4a57-b31c-${String(number).padStart(12, '0')}`,
      };
      const user = { id: `user${number % Math.ceil(grants / GRANTS_PER_USER)}` };
      await store.saveToken(token, clients[number % CLIENTS], user);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const bytes = (await usedMemory(client)) - before;
  return [{ name: `keys, ${Math.round(bytes / rows)} bytes for each token with half a grant`, bytes }];
}

const sumOf = (commands, at) => commands.reduce((sum, command) => sum + Number(command[at]), 0);

/** Returns the number of commands, and the time of the scripts, which contains the time of their commands. */
async function count(client) {
  const all = [...(await client.info('commandstats')).matchAll(/cmdstat_([^:]+):calls=(\d+),usec=(\d+)/g)];
  return {
    calls: sumOf(
      all.filter(([, name]) => name !== 'info'),
      2,
    ),
    microseconds: sumOf(
      all.filter(([, name]) => /^evalsha?$/.test(name)),
      3,
    ),
  };
}

/** Measures each operation by the counters of the server. */
async function explain(client, store) {
  return measureOperations(store, async (run) => {
    const before = await count(client);
    const result = await run();
    const after = await count(client);
    return {
      result,
      values: { commands: after.calls - before.calls, microseconds: after.microseconds - before.microseconds },
    };
  });
}

/** Fills the store under a prefix of its own and measures each operation. */
export async function measureRows(rows) {
  const client = new Redis(url);
  try {
    await remove(client, prefixOf(rows));
    const store = new RedisStore({ client, users, prefix: prefixOf(rows) });
    for (let number = 0; number < CLIENTS; number++)
      await store.saveClient({ id: `client${number}`, grants: ['client_credentials'] });
    const sizes = await fill(client, store, rows);
    return { sizes, measured: await explain(client, store) };
  } finally {
    await client.quit();
  }
}

export async function drop(rows) {
  const client = new Redis(url);
  await remove(client, prefixOf(rows));
  await client.quit();
}

async function remove(client, prefix) {
  for await (const keys of client.scanStream({ match: `${prefix}*`, count: 10_000 }))
    if (keys.length > 0) await client.unlink(...keys);
}
