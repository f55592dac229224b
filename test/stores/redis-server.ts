import { randomUUID } from 'node:crypto';

import { Cluster, Redis } from 'ioredis';
import type { RedisClient } from 'nest-oauth2/stores/redis';
import { createClient, createClientPool, createCluster } from 'redis';

import { reportMissing, START_SERVERS } from '../support/environment/requirements.js';
import { REDIS_URL } from '../support/environment/redis-url.js';

/** Returns the URL of the Redis server as a list, which is empty if none is available. */
export async function findRedis(): Promise<string[]> {
  const client = new Redis(REDIS_URL, { lazyConnect: true, retryStrategy: () => null });
  // Callers of connect() get the error. Without a listener it would be printed as well.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.quit();
    return [REDIS_URL];
  } catch {
    reportMissing('Redis', START_SERVERS);
    return [];
  }
}

/** A connected client of one of the drivers. */
export interface Connected {
  client: RedisClient;
  close(): Promise<unknown>;
}

/** Connects a driver to one server, or to several nodes of a cluster. */
export const DRIVERS: readonly (readonly [name: string, connect: (urls: string[]) => Promise<Connected>])[] = [
  [
    'ioredis',
    async (urls) => {
      const client = urls.length > 1 ? new Cluster(urls) : new Redis(urls[0]!);
      return { client, close: () => client.quit() };
    },
  ],
  [
    'node-redis',
    async ([url, ...more]) => {
      const rootNodes = [url!, ...more].map((node) => ({ url: node }));
      const client = more.length > 0 ? createCluster({ rootNodes }) : createClient({ url });
      await client.connect();
      return { client, close: () => client.close() };
    },
  ],
];

/** The drivers with the settings from `docs/reference/stores.md` that let them detect dead connections. */
export const PATIENT_DRIVERS: readonly (readonly [name: string, connect: (url: string) => Promise<Connected>])[] = [
  [
    'ioredis',
    async (url) => {
      const client = new Redis(url, { socketTimeout: 1000, connectTimeout: 1000 });
      client.on('error', () => {});
      return { client, close: async () => client.disconnect() };
    },
  ],
  [
    'node-redis',
    async (url) => {
      const reconnectStrategy = (retries: number) => Math.min(retries * 50, 500);
      const socket = { socketTimeout: 1000, connectTimeout: 1000, reconnectStrategy };
      const client = createClientPool({ url, socket, pingInterval: 200 }, { minimum: 1, maximum: 4 });
      client.on('error', () => {});
      await client.connect();
      return { client, close: async () => client.destroy() };
    },
  ],
];

const readers: Record<string, (node: Redis, key: string) => Promise<unknown>> = {
  string: (node, key) => node.get(key),
  hash: (node, key) => node.hgetall(key),
  zset: (node, key) => node.zrange(key, '0', -1, 'WITHSCORES'),
};

/** The keys of one test, on one server or on all nodes of a cluster. */
export class Keys {
  readonly prefix = `nest-oauth2-test:${randomUUID()}:`;
  private readonly nodes: Redis[];

  constructor(urls: string[]) {
    this.nodes = urls.map((url) => new Redis(url));
  }

  /** Returns the number of keys on each node. */
  async spread(): Promise<number[]> {
    return Promise.all(this.nodes.map(async (node) => (await this.of(node)).length));
  }

  /** Returns each key without the prefix, with its content and expiry. */
  async contents(): Promise<Map<string, { content: string; expiresAt: number }>> {
    const found = new Map<string, { content: string; expiresAt: number }>();
    for (const node of this.nodes) {
      for (const key of await this.of(node)) {
        const content = await readers[await node.type(key)]!(node, key);
        const expiresAt = Number(await node.call('PEXPIRETIME', key));
        found.set(key.slice(this.prefix.length), {
          content: typeof content === 'string' ? content : JSON.stringify(content),
          expiresAt,
        });
      }
    }
    return found;
  }

  async addToList(key: string, momentsAndIds: string[]): Promise<void> {
    await this.nodes[0]!.zadd(this.prefix + key, ...momentsAndIds);
  }

  /** Removes a key as a server does that is out of memory, by a policy such as `allkeys-lru`. */
  async evict(key: string): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.unlink(this.prefix + key)));
  }

  /** Deletes all scripts but no keys, as a restart does. */
  async forgetScripts(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.script('FLUSH')));
  }

  async remove(): Promise<void> {
    for (const node of this.nodes) for (const key of await this.of(node)) await node.unlink(key);
    await Promise.all(this.nodes.map((node) => node.quit()));
  }

  private async of(node: Redis): Promise<string[]> {
    const keys: string[] = [];
    let cursor = '0';
    do {
      const [next, page] = await node.scan(cursor, 'MATCH', `${this.prefix}*`, 'COUNT', 5000);
      keys.push(...page);
      cursor = next;
    } while (cursor !== '0');
    return keys;
  }
}
