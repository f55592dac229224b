import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { RedisStore } from 'nest-oauth2/stores/redis';
import { clients, users } from './fixtures.js';

export const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';

/**
 * Opens the Redis store. The floor stores a token and its grant as strings: three SET or two GET commands in one
 * pipeline.
 */
export async function open(_kind, options = {}) {
  const client = new Redis(options.url ?? url, { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => {});
  await client.connect();
  const prefix = `bench:${randomUUID()}:`;
  const keep = (key, value, expiresAt) => client.set(prefix + key, value, 'PXAT', expiresAt);

  const floor = {
    async issue({ grantId, access, refresh, accessExpiresAt, refreshExpiresAt, ...rest }) {
      const row = JSON.stringify({ grantId, ...rest });
      await Promise.all([
        keep(`floor:grant:${grantId}`, '1', refreshExpiresAt),
        keep(`floor:access:${access}`, row, accessExpiresAt),
        keep(`floor:refresh:${refresh}`, row, refreshExpiresAt),
      ]);
      return true;
    },
    async check({ access, grantId }) {
      const keys = [`${prefix}floor:access:${access}`, `${prefix}floor:grant:${grantId}`];
      const [row, isAlive] = await Promise.all(keys.map((key) => client.get(key)));
      return isAlive && JSON.parse(row);
    },
  };
  return { title: 'Redis', store: new RedisStore({ client, clients, users, prefix }), storeWith, floor, close };

  async function storeWith(kept) {
    const store = new RedisStore({ client, users, prefix });
    for (const one of kept) await store.saveClient(one);
    return store;
  }

  async function close() {
    for (let cursor = '0', keys; cursor !== undefined; cursor = cursor === '0' ? undefined : cursor) {
      [cursor, keys] = await client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 10_000);
      if (keys.length > 0) await client.unlink(...keys);
    }
    await client.quit();
  }
}
