import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { InvalidArgumentError } from 'nest-oauth2/server';
import { type IoRedisClient, type RedisClient, RedisStore } from 'nest-oauth2/stores/redis';
import { createClient, createClientPool, createCluster, createSentinel } from 'redis';

import { ALICE, later, SECRET, WEB } from '../support/model.js';
import { makeStore, users } from './redis-host.js';

/** What a Redis would be asked; it answers as if it knew everything. */
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
    return reply(script);
  }
}

function reply(script: string): unknown {
  const client = { ...WEB, scopes: ['read'] };
  const row = { grantId: 'grant', clientId: 'web', userId: 'alice', scope: 'read', expiresAt: Date.now() + 60_000 };
  if (script.includes('ZSCAN')) return ['0', ['grant', '1']];
  if (script.includes(`'client', 'secretHashes')`)) return [JSON.stringify(client), '[]'];
  if (script.includes(`'createdAt', 'lastUsedAt'`)) return ['web', 'alice', 'read', '1', '2', '9999999999999', ''];
  if (script.startsWith(`return redis.call('GET'`)) return JSON.stringify(row);
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

  it('touch one key each, so that a cluster knows where to run them', async () => {
    const code = { authorizationCode: 'code', expiresAt: later(), redirectUri: 'https://app.example/cb' };
    await store.saveAuthorizationCode({ ...code, grantId: 'grant' }, WEB, ALICE);
    await store.revokeAuthorizationCode((await store.getAuthorizationCode('code'))!);
    await store.saveToken(
      { ...token, accessToken: 'a', refreshToken: 'r', refreshTokenExpiresAt: later() },
      WEB,
      ALICE,
    );
    await store.getAccessToken('a');
    await store.revokeToken((await store.getRefreshToken('r'))!);
    await store.getClient('web', SECRET);
    await store.addClientSecret('web');
    await store.listGrants('alice');
    await store.revokeGrantsOf({ userId: 'alice', clientId: 'web' });
    await store.revokeGrantsOf({ clientId: 'web' });
    await store.revokeGrant('grant');
    await store.removeClient('web');
    await store.prune();

    const scripts = new Set(redis.sent.map(({ script }) => script));
    expect(scripts.size).toBe(13);
    expect(redis.sent.map(({ keyCount }) => keyCount)).toEqual(redis.sent.map(() => 1));
    for (const { script, values } of redis.sent) {
      expect(values[0]).toMatch(/^oauth2:/);
      for (const [, key] of script.matchAll(/redis\.call\('[A-Z]+', (\S+?)[,)]/g)) expect(key).toBe('KEYS[1]');
    }
  });

  it('cost one round trip for a token seen before: the token, its grant and its client at once', async () => {
    const cost = async () => {
      redis.roundTrips = 0;
      await expect(store.getAccessToken('a')).resolves.toMatchObject({ client: { id: 'web' }, user: ALICE });
      return redis.roundTrips;
    };
    expect([await cost(), await cost(), await cost()]).toEqual([2, 1, 1]);
  });

  it('cost one round trip to keep tokens', async () => {
    redis.roundTrips = 0;
    await store.saveToken(
      { ...token, accessToken: 'a', refreshToken: 'r', refreshTokenExpiresAt: later() },
      WEB,
      ALICE,
    );
    expect(redis.roundTrips).toBe(1);
  });

  it('do not ask Redis for clients which the host keeps', async () => {
    store = await makeStore(redis, { clients: { findById: (id) => (id === 'web' ? WEB : undefined) } });
    redis.sent = [];
    await expect(store.getAccessToken('a')).resolves.toMatchObject({ client: { id: 'web' } });
    expect(redis.sent.filter(({ values }) => values[0]!.startsWith('oauth2:client:'))).toEqual([]);
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
  ])('are taken by %s', (_name, client) => {
    expect(new RedisStore({ client, users })).toBeInstanceOf(RedisStore);
  });

  it.each([undefined, {}, { get() {} }])('are not sent to %j, which is no client of Redis', (client) => {
    const open = () => new RedisStore({ client: client as unknown as RedisClient, users });
    expect(open).toThrow(InvalidArgumentError);
  });

  it('fail as Redis fails', async () => {
    redis.evalsha = () => Promise.reject(new Error('READONLY You cannot write against a read only replica.'));
    await expect(store.getAccessToken('a')).rejects.toThrow('READONLY');
  });
});
