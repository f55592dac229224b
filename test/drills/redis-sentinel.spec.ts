import { setTimeout as rest } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { type RedisClient, RedisStore } from 'nest-oauth2/stores/redis';
import { createSentinel } from 'redis';

import { waitUntil } from '../support/environment/wait-until.js';
import { Load, users } from './load.js';
import { DrillServers } from './processes.js';
import { canRunRedis, missingIn, RedisNode } from './redis-nodes.js';
import { lossFigures, recoveryFigures, report, seconds } from './report.js';

const NAME = 'drill';
/** Milliseconds of load before and after the failover. */
const WARM_UP = 1500;

/** Connects each driver to the primary that the sentinels report. */
const DRIVERS = {
  async ioredis(ports: readonly number[]) {
    const sentinels = ports.map((port) => ({ host: '127.0.0.1', port }));
    const client = new Redis({ sentinels, name: NAME, connectTimeout: 2000, socketTimeout: 2000 });
    client.on('error', () => undefined);
    return { client: client as RedisClient, close: async () => client.disconnect() };
  },
  async 'node-redis'(ports: readonly number[]) {
    const sentinelRootNodes = ports.map((port) => ({ host: '127.0.0.1', port }));
    const client = createSentinel({ name: NAME, sentinelRootNodes, scanInterval: 1000 });
    client.on('error', () => undefined);
    await client.connect();
    return { client: client as RedisClient, close: async () => client.destroy() };
  },
};

const drivers = canRunRedis('Redis Sentinel') ? (Object.keys(DRIVERS) as (keyof typeof DRIVERS)[]) : [];

it('lists drills for each driver', () => {
  expect(Object.keys(DRIVERS)).toEqual(['ioredis', 'node-redis']);
});

describe.each(drivers)('a Redis primary that is killed, with sentinels and %s', (driver) => {
  let servers: DrillServers;
  let primary: RedisNode;
  let replica: RedisNode;
  let connected: { client: RedisClient; close(): Promise<unknown> };
  let load: Load;

  beforeAll(async () => {
    servers = new DrillServers('sentinel');
    primary = await RedisNode.start(servers, []);
    replica = await RedisNode.start(servers, [`replicaof 127.0.0.1 ${primary.port}`]);
    await waitUntil(async () => (await replica.info('replication'))['master_link_status'] === 'up', 30);
    const settings = [
      `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 2`,
      `sentinel down-after-milliseconds ${NAME} 1000`,
      `sentinel failover-timeout ${NAME} 3000`,
    ];
    const sentinels = await Promise.all([1, 2, 3].map(() => RedisNode.start(servers, settings, true)));
    const seen = async (sentinel: RedisNode) => {
      const [state] = (await sentinel.run((client) => client.call('SENTINEL', 'MASTERS'))) as [string[]];
      const number = (name: string) => Number(state[state.indexOf(name) + 1]);
      return number('num-slaves') === 1 && number('num-other-sentinels') === 2;
    };
    await waitUntil(async () => (await Promise.all(sentinels.map(seen))).every(Boolean), 30);
    connected = await DRIVERS[driver](sentinels.map(({ port }) => port));
    load = new Load(new RedisStore({ client: connected.client, users, prefix: 'drill:' }));
  }, 90_000);
  afterAll(async () => {
    await load?.stop();
    await connected?.close();
    await servers?.stop();
  }, 60_000);

  it('writes again after the replica is promoted, and loses only what the replica had not received', async () => {
    await load.start();
    await load.everyWorkerWrites();
    await rest(WARM_UP);
    // The replica loses its connection, so that the primary acknowledges writes that the replica does not receive.
    await primary.run(async (client) => {
      await client.call('ACL', 'SETUSER', 'default', '-psync', '-sync');
      await client.client('KILL', 'TYPE', 'replica');
    });
    await rest(300);
    await primary.kill();
    const failedAt = performance.now();
    const before = load.acknowledged();
    const rows = await replica.readRows('drill:');
    expect((await replica.info('replication'))['role']).toBe('slave');
    const missing = missingIn(rows, before);
    // The sentinel closes all connections to the server that it promotes.
    const isPromoted = async () => (await replica.info('replication').catch(() => undefined))?.['role'] === 'master';
    await waitUntil(isPromoted, 60);
    const promotedAt = performance.now();
    await load.everyWorkerWrites(promotedAt);
    await rest(WARM_UP);
    await load.stop();

    const loss = await load.findLoss();
    report(`Redis Sentinel with ${driver}`, load, {
      'from failure to promotion': seconds((promotedAt - failedAt) / 1000),
      ...recoveryFigures(load, promotedAt),
      ...lossFigures(before.accessTokens.length, loss),
    });
    expect(load.unexpected).toEqual([]);
    expect(load.usedTwice()).toEqual([]);
    expect(new Set(loss.accessTokens)).toEqual(new Set(missing.accessTokens));
    expect(new Set(loss.reusable)).toEqual(new Set(missing.consumed));
    expect(loss.accessTokens.length).toBeGreaterThan(0);
    const used = load.acknowledged().consumed.filter((one) => !loss.reusable.includes(one));
    expect(await load.replay(used.slice(-50))).toBe(0);
  }, 150_000);
});
