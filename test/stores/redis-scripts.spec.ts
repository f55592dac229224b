import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { InvalidArgumentError } from 'nest-oauth2/server';
import { type IoRedisClient, type RedisClient, RedisStore } from 'nest-oauth2/stores/redis';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';

import { ALICE, later, SECRET, WEB } from '../support/models/model.js';
import { makeStore, users } from './redis-fixtures.js';

/** A fake Redis client that records scripts and returns plausible results. */
class PretendedRedis implements IoRedisClient {
  sent: { script: string; keyCount: number; values: string[] }[] = [];
  roundTrips = 0;
  private underWay = 0;

  async evalsha(): Promise<unknown> {
    throw new Error('NOSCRIPT No matching script. Please use EVAL.');
  }

  async eval(script: string, keyCount: number, ...values: string[]): Promise<unknown> {
    this.sent.push({ script, keyCount, values });
    if (this.underWay++ === 0) this.roundTrips++;
    await turn();
    this.underWay--;
    return reply(script, values);
  }
}

function reply(script: string, [key]: string[]): unknown {
  const client = JSON.stringify({ ...WEB, scopes: ['read'] });
  const row = JSON.stringify({ grantId: 'grant', clientId: 'web', userId: 'alice', scope: 'read', data: null });
  if (script.includes('ZSCAN')) return ['0', ['grant', '1']];
  if (script.includes(`'client', 'secretHashes', 'createdAt')`)) {
    return key === 'oauth2:client:new' ? [null, null, null, Date.now()] : [client, '[]', '1', Date.now()];
  }
  if (script.includes('BYLEX')) return ['web'];
  if (script.includes(`'createdAt', 'lastUsedAt'`))
    return ['web', 'alice', null, 'read', null, '1', '2', '9999999999999', '', '0', '1', 'tokens', '3'];
  if (script.startsWith(`return redis.call('HMGET', KEYS[1], 'revokedAt'`)) return ['', '0', '1', '1', 'tokens'];
  if (script.startsWith(`return redis.call('GETRANGE'`)) return '';
  if (script.startsWith(`return redis.call('ZMSCORE'`)) return ['-1', null];
  if (script.includes(`generation_of(KEYS[1]) }`)) return [client, '0'];
  if (script.includes('PTTL') && !script.includes('keep_generation'))
    return [row, 60_000, Date.now(), client, '1', '', 'tokens'];
  return 1;
}

describe('the scripts of a Redis store', () => {
  let redis: PretendedRedis;
  let store: RedisStore;
  const token = { accessTokenExpiresAt: later(), scope: 'read', grantId: 'grant' };

  beforeEach(async () => {
    redis = new PretendedRedis();
    store = await makeStore(redis, {});
  });

  async function everything(): Promise<void> {
    const code = { authorizationCode: 'code', expiresAt: later(), redirectUri: 'https://app.example/cb' };
    await store.saveAuthorizationCode({ ...code, grantId: 'grant' }, WEB, ALICE);
    const found = (await store.getAuthorizationCode('code'))!;
    await store.revokeAuthorizationCode(found);
    const both = { ...token, accessToken: 'a', refreshToken: 'r', refreshTokenExpiresAt: later() };
    await store.saveToken(both, WEB, ALICE);
    await store.redeem(found, both, WEB, ALICE);
    await store.getAccessToken('a');
    await store.revokeToken((await store.getRefreshToken('r'))!);
    await store.getClient('web', SECRET);
    await store.createClient({ ...WEB, id: 'new', secret: SECRET });
    await store.rotateClientSecret('web');
    await store.disableClient('web');
    await store.listClients();
    await store.listGrants('alice');
    await store.revokeGrantsOf({ userId: 'alice', clientId: 'web' });
    await store.revokeGrantsOf({ clientId: 'web' });
    await store.revokeGrant('grant');
    await store.removeClient('web');
    await store.once('csrf_token', 60);
    await store.getSigningKeys();
    await store.replaceSigningKeys(undefined, 'sealed');
    await store.prune();
  }

  it('use one key each on a cluster, so that they can be routed', async () => {
    store = await makeStore(redis, { cluster: true });
    redis.sent = [];
    await everything();
    const scripts = new Set(redis.sent.map(({ script }) => script));
    expect(scripts.size).toBe(28);
    expect(redis.sent.map(({ keyCount }) => keyCount)).toEqual(redis.sent.map(() => 1));
    for (const { script, values } of redis.sent) {
      expect(values[0]).toMatch(/^oauth2:/);
      // Each Redis command in a script uses the key passed to it.
      const keys = [...script.matchAll(/redis\.call\('[A-Z]+', ([^\s,)]+)/g)].map(([, key]) => key);
      for (const key of keys) expect(['KEYS[1]', 'key']).toContain(key);
      const inner = [
        ...script.matchAll(
          /^(?:return )?\{?.*?\b(?:save_row|save_grant|list_grant|consume_row|\w+_generation|generation_of)\((\w+(?:\[\d\])?)/gm,
        ),
      ];
      for (const [, key] of inner) expect(['KEYS[1]', 'key']).toContain(key);
    }
  });

  it('declare every key they write on a single server, with the prefix', async () => {
    redis.sent = [];
    await everything();
    for (const { keyCount, values } of redis.sent) {
      expect(keyCount).toBeGreaterThan(0);
      for (const key of values.slice(0, keyCount)) expect(key).toMatch(/^oauth2:/);
    }
  });

  it.each([false, true])(
    'call only commands that the ACL in docs/reference/stores.md allows; on a cluster: %j',
    async (cluster) => {
      store = await makeStore(redis, { cluster });
      await everything();
      const docs = readFileSync(join(import.meta.dirname, '../../docs/reference/stores.md'), 'utf8');
      const [, list = ''] = /`~oauth2:\*([^`]+)`/.exec(docs)!;
      const allowed = list.trim().split(/\s+/);
      const commands = redis.sent.flatMap(({ script }) => [...script.matchAll(/redis\.call\('([A-Z]+)'/g)]);
      const called = new Set(commands.map(([, command]) => `+${command!.toLowerCase()}`));
      expect(called.size).toBeGreaterThan(10);
      expect(allowed).toEqual(expect.arrayContaining([...called]));
    },
  );

  it.each([
    [false, [1, 1, 1]],
    [true, [2, 1, 1]],
  ])(
    'look up a token, its grant and its client three times; on a cluster (%j) in %j round trips',
    async (cluster, expected) => {
      store = await makeStore(redis, { cluster });
      const cost = async () => {
        redis.roundTrips = 0;
        await expect(store.getAccessToken('a')).resolves.toMatchObject({ client: { id: 'web' }, user: ALICE });
        return redis.roundTrips;
      };
      expect([await cost(), await cost(), await cost()]).toEqual(expected);
    },
  );

  it('save tokens in one round trip', async () => {
    redis.roundTrips = 0;
    await store.saveToken(
      { ...token, accessToken: 'a', refreshToken: 'r', refreshTokenExpiresAt: later() },
      WEB,
      ALICE,
    );
    expect(redis.roundTrips).toBe(1);
  });

  it('do not read clients from Redis that the application stores', async () => {
    store = await makeStore(redis, { clients: { findById: (id) => (id === 'web' ? WEB : undefined) } });
    redis.sent = [];
    await expect(store.getAccessToken('a')).resolves.toMatchObject({ client: { id: 'web' } });
    expect(redis.sent.filter(({ script }) => script.includes(`'client', 'secretHashes'`))).toEqual([]);
    await expect(store.saveClient(WEB)).rejects.toThrow(InvalidArgumentError);
  });

  it.each<[string, RedisClient]>([
    ['Redis of ioredis', new Redis({ lazyConnect: true })],
    ['Cluster of ioredis', new Cluster([], { lazyConnect: true })],
    ['createClient() of redis', createClient()],
    ['createClient() of redis with RESP2', createClient({ RESP: 2 })],
    ['createClientPool() of redis', createClientPool()],
    ['createCluster() of redis', createCluster({ rootNodes: [] })],
    ['createSentinel() of redis', createSentinel({ name: 'primary', sentinelRootNodes: [] })],
  ])('a Redis store accepts the client %s', (_name, client) => {
    expect(new RedisStore({ client, users })).toBeInstanceOf(RedisStore);
  });

  it.each([undefined, {}, { get() {} }])('a Redis store rejects %j, which is not a Redis client', (client) => {
    const open = () => new RedisStore({ client: client as unknown as RedisClient, users });
    expect(open).toThrow(InvalidArgumentError);
  });

  it('reject with the error of Redis', async () => {
    redis.evalsha = () => Promise.reject(new Error('READONLY You cannot write against a read only replica.'));
    await expect(store.getAccessToken('a')).rejects.toThrow('READONLY');
  });
});
