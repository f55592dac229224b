import { Redis } from 'ioredis';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { digest } from '../../lib/stores/clients/client-secret.js';
import { freePort } from '../support/environment/free-port.js';
import { waitUntil } from '../support/environment/wait-until.js';
import type { Acknowledged } from './load.js';
import { type DrillServers, hasPrograms, type ServerProcess } from './processes.js';

/** Whether this machine can run its own Redis servers. If not, prints a notice. */
export const canRunRedis = (drill: string): boolean =>
  hasPrograms(drill, ['redis-server', 'redis-cli'], 'redis-server and redis-cli');

/** A Redis server with its own folder and port, or a sentinel. */
export class RedisNode {
  private constructor(
    readonly port: number,
    private readonly process: ServerProcess,
  ) {}

  /** Starts a server. @param settings lines of its configuration file */
  static async start(servers: DrillServers, settings: readonly string[], isSentinel = false): Promise<RedisNode> {
    const port = await freePort();
    const folder = join(servers.folder, `redis-${port}`);
    mkdirSync(folder);
    const file = join(folder, 'redis.conf');
    const memory = isSentinel ? [] : ['save ""', 'appendonly no', 'repl-diskless-sync-delay 0'];
    writeFileSync(file, [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, ...memory, ...settings, ''].join('\n'));
    const node = new RedisNode(port, servers.start('redis-server', [file, ...(isSentinel ? ['--sentinel'] : [])]));
    await waitUntil(async () => {
      node.process.verifyRunning();
      return node.run((client) => client.ping()).catch(() => undefined);
    }, 30);
    return node;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  kill(): Promise<void> {
    return this.process.kill();
  }

  /** Runs work with a client that is connected to this server only. It may read on a replica of a cluster. */
  async run<T>(work: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { retryStrategy: () => null, readOnly: true, lazyConnect: true });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await work(client);
    } finally {
      client.disconnect();
    }
  }

  /** Returns a section of `INFO` as properties. */
  async info(section: string): Promise<Record<string, string>> {
    const text = await this.run((client) => client.info(section));
    return Object.fromEntries(text.split('\r\n').map((line) => line.split(':') as [string, string]));
  }

  /** Returns the codes, tokens and grants under a prefix: the strings with their value, the grants with an empty one. */
  async readRows(prefix: string): Promise<Map<string, string>> {
    return this.run(async (client) => {
      const rows = new Map<string, string>();
      for await (const keys of client.scanStream({ match: `${prefix}*`, count: 2000 }) as AsyncIterable<string[]>) {
        const stored = keys.filter((key) => /^(?:code|access|refresh|grant):/.test(key.slice(prefix.length)));
        // One command for each key, because the keys of a cluster are in different slots.
        const isGrant = (key: string) => key.startsWith(`${prefix}grant:`);
        await Promise.all(
          stored.map(async (key) =>
            rows.set(key.slice(prefix.length), isGrant(key) ? '' : ((await client.get(key)) ?? '')),
          ),
        );
      }
      return rows;
    });
  }
}

/**
 * Returns the acknowledged writes that the rows of the remaining servers do not contain. A token is lost if its row or
 * its grant is. A code or refresh token can be used again if its row has no time of use.
 */
export function missingIn(rows: ReadonlyMap<string, string>, { accessTokens, consumed }: Acknowledged): Acknowledged {
  const hasGrant = (row: string) => {
    const { grantId } = JSON.parse(row.slice(row.indexOf('{'))) as { grantId: string };
    return rows.has(`grant:${grantId}`);
  };
  return {
    accessTokens: accessTokens.filter((token) => {
      const row = rows.get(`access:${digest(token)}`);
      return !row || !hasGrant(row);
    }),
    consumed: consumed.filter(({ kind, secret }) => {
      const row = rows.get(`${kind}:${digest(secret)}`);
      return row?.startsWith('{') && hasGrant(row);
    }),
  };
}
