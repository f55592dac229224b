import { setTimeout as rest } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { type RedisClient, RedisStore } from 'nest-oauth2/stores/redis';
import { createCluster } from 'redis';

import { freePort } from '../support/environment/free-port.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { Load, users } from './load.js';
import { DrillServers } from './processes.js';
import { canRunRedis, missingIn, RedisNode } from './redis-nodes.js';
import { lossFigures, recoveryFigures, report, seconds } from './report.js';

/** Milliseconds of load before and after an incident. */
const WARM_UP = 1000;
const SLOTS = 600;

const DRIVERS = {
  async ioredis(urls: readonly string[]) {
    const client = new Cluster([...urls], { redisOptions: { connectTimeout: 2000, socketTimeout: 2000 } });
    client.on('error', () => undefined);
    return { client: client as RedisClient, close: async () => client.disconnect() };
  },
  async 'node-redis'(urls: readonly string[]) {
    const client = createCluster({
      rootNodes: urls.map((url) => ({ url })),
      defaults: { socket: { connectTimeout: 2000, socketTimeout: 2000 }, pingInterval: 1000 },
    });
    client.on('error', () => undefined);
    await client.connect();
    return { client: client as RedisClient, close: async () => client.destroy() };
  },
};

const drivers = canRunRedis('Redis Cluster') ? (Object.keys(DRIVERS) as (keyof typeof DRIVERS)[]) : [];

it('lists drills for each driver', () => {
  expect(Object.keys(DRIVERS)).toEqual(['ioredis', 'node-redis']);
});

describe.each(drivers)('a Redis Cluster of three primaries and three replicas, with %s', (driver) => {
  const prefix = 'drill:';
  let servers: DrillServers;
  let nodes: RedisNode[];
  let connected: { client: RedisClient; close(): Promise<unknown> };
  let load: Load;

  beforeAll(async () => {
    servers = new DrillServers('cluster');
    nodes = [];
    for (let count = 0; count < 6; count++) {
      const ports = ['cluster-enabled yes', `cluster-port ${await freePort()}`, 'cluster-node-timeout 1500'];
      nodes.push(await RedisNode.start(servers, ports));
    }
    const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
    await cluster('create', ...addresses, '--cluster-replicas', '1');
    await waitUntil(async () => {
      const states = await Promise.all(nodes.map((node) => node.info('replication')));
      const replicas = states.filter(({ master_link_status: status }) => status === 'up');
      return replicas.length === 3;
    }, 30);
    await waitUntil(async () => (await Promise.all(nodes.map(isReady))).every(Boolean), 30);
    connected = await DRIVERS[driver](nodes.map(({ url }) => url));
    load = new Load(new RedisStore({ client: connected.client, users, prefix }));
    await load.start();
    await load.everyWorkerWrites();
  }, 90_000);
  afterAll(async () => {
    await load?.stop();
    await connected?.close();
    await servers?.stop();
  }, 60_000);

  const cluster = (command: string, ...args: string[]) =>
    servers.run('redis-cli', ['--cluster', command, ...args, '--cluster-yes']);

  /** Whether a server knows an owner for each slot. */
  const isReady = (node: RedisNode) =>
    node.run(async (client) => String(await client.cluster('INFO')).includes('cluster_state:ok'));

  /** Returns the servers as the first one knows them. */
  async function topology(): Promise<{ id: string; node: RedisNode; primary: string | undefined }[]> {
    const text = String(await nodes[0]!.run((client) => client.cluster('NODES')));
    return text
      .trim()
      .split('\n')
      .map((line) => {
        const [id, address, flags, primary] = line.split(' ') as [string, string, string, string];
        const node = nodes.find(({ port }) => address.startsWith(`127.0.0.1:${port}@`))!;
        return { id, node, primary: flags.includes('slave') ? primary : undefined };
      });
  }

  it('loses nothing while slots move to another node', async () => {
    await rest(WARM_UP);
    const [from, to] = (await topology()).filter(({ primary }) => primary === undefined);
    const startedAt = performance.now();
    const slots = ['--cluster-from', from!.id, '--cluster-to', to!.id, '--cluster-slots', String(SLOTS)];
    await cluster('reshard', `127.0.0.1:${nodes[0]!.port}`, ...slots);
    const movedAt = performance.now();
    await load.everyWorkerWrites(movedAt);

    const loss = await load.findLoss();
    report(`Redis Cluster resharding of ${SLOTS} slots with ${driver}`, load, {
      duration: seconds((movedAt - startedAt) / 1000),
      ...lossFigures(load.acknowledged().accessTokens.length, loss),
    });
    expect(load.unexpected).toEqual([]);
    expect(load.usedTwice()).toEqual([]);
    expect(loss).toEqual({ accessTokens: [], reusable: [] });
  }, 120_000);

  it('writes again after the replica of a killed primary takes over, and loses only what the replica had not received', async () => {
    const known = await topology();
    const primaries = known.filter(({ primary }) => primary === undefined);
    // The first node reports the topology.
    const lost = primaries.find(({ node }) => node !== nodes[0])!;
    const replica = known.find(({ primary }) => primary === lost.id)!.node;
    await lost.node.kill();
    const failedAt = performance.now();
    const before = load.acknowledged();
    const remaining = [replica, ...primaries.map(({ node }) => node).filter((node) => node !== lost.node)];
    const rows = new Map<string, string>();
    for (const node of remaining) for (const [key, row] of await node.readRows(prefix)) rows.set(key, row);
    expect((await replica.info('replication'))['role']).toBe('slave');
    const missing = missingIn(rows, before);
    await waitUntil(async () => (await replica.info('replication'))['role'] === 'master', 60);
    const promotedAt = performance.now();
    await load.everyWorkerWrites(promotedAt);
    await rest(WARM_UP);
    await load.stop();

    const loss = await load.findLoss();
    report(`Redis Cluster loss of a primary with ${driver}`, load, {
      'from failure to promotion': seconds((promotedAt - failedAt) / 1000),
      ...recoveryFigures(load, promotedAt),
      ...lossFigures(before.accessTokens.length, loss),
    });
    expect(load.unexpected).toEqual([]);
    expect(load.usedTwice()).toEqual([]);
    expect(new Set(loss.accessTokens)).toEqual(new Set(missing.accessTokens));
    expect(new Set(loss.reusable)).toEqual(new Set(missing.consumed));
    const used = load.acknowledged().consumed.filter((one) => !loss.reusable.includes(one));
    expect(await load.replay(used.slice(-50))).toBe(0);
  }, 150_000);
});
