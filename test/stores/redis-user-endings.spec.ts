import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type IoRedisClient, RedisStore } from 'nest-oauth2/stores/redis';

import { ALICE, later, WEB } from '../support/models/model.js';
import { canRunCluster, ClusterNodes } from './redis-cluster-nodes.js';
import { BOB, makeStore, OTHER } from './redis-fixtures.js';
import { type Connected, DRIVERS, findRedis, Keys } from './redis-server.js';

const [, connect] = DRIVERS[0]!;
const servers = await findRedis();
const nodes = new ClusterNodes();
const hasCluster = canRunCluster();

beforeAll(() => (hasCluster ? nodes.start() : undefined), 30_000);
afterAll(() => nodes.stop());

const places = [
  ...(servers.length > 0 ? [['one server', () => servers] as const] : []),
  ...(hasCluster ? [['a cluster', () => nodes.urls] as const] : []),
];

const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };

/** Returns a client whose process is killed after this number of commands: later commands do not reach Redis. */
function mortal(client: IoRedisClient, commands: number): IoRedisClient {
  let left = commands;
  const live = <Result>(send: () => Promise<Result>): Promise<Result> =>
    left-- > 0 ? send() : Promise.reject(new Error('The process was killed'));
  return {
    evalsha: (...command) => live(() => client.evalsha(...command)),
    eval: (...command) => live(() => client.eval(...command)),
  };
}

for (const [name, urls] of places) {
  describe(`revoking the grants of a user in a Redis store, on ${name}`, () => {
    const [ISSUER, ELSEWHERE] = ['https://id.example', 'https://elsewhere.example'];
    let connected: Connected;
    let keys: Keys;
    let store: RedisStore;

    beforeEach(async () => {
      connected = await connect(urls());
      keys = new Keys(urls());
      store = await makeStore(connected.client, { prefix: keys.prefix, users });
    });
    afterEach(async () => {
      await keys.remove();
      await connected.close();
    });

    const issue = async (changes: object = {}, client = WEB, user = ALICE) => {
      const secrets = { accessToken: randomUUID(), refreshToken: randomUUID(), grantId: randomUUID() };
      const moments = { accessTokenExpiresAt: later(), refreshTokenExpiresAt: later(7200) };
      return store.saveToken({ ...secrets, ...moments, scope: 'read', issuer: ISSUER, ...changes }, client, user);
    };
    const countValid = async (tokens: readonly { accessToken: string }[]) => {
      const found = await Promise.all(tokens.map(({ accessToken }) => store.getAccessToken(accessToken)));
      return found.filter(Boolean).length;
    };

    it.each([
      [{ userId: 'alice' }],
      [{ userId: 'alice', clientId: 'web' }],
      [{ userId: 'alice', issuer: ISSUER }],
      [{ userId: 'alice', clientId: 'web', issuer: ISSUER }],
    ])('revokes all or none if the process is killed during revokeGrantsOf(%j)', async (filter) => {
      const outcomes = new Set<number>();
      for (let commands = 0; commands < 12; commands += 1) {
        const tokens = await Promise.all(Array.from({ length: 40 }, () => issue()));
        const client = mortal(connected.client as IoRedisClient, commands);
        const dying = new RedisStore({ client, users, prefix: keys.prefix, cluster: name === 'a cluster' });
        await dying.revokeGrantsOf(filter).catch(() => undefined);
        const left = await countValid(tokens);
        expect([0, 40]).toContain(left);
        outcomes.add(left);
        await store.revokeGrantsOf({ userId: 'alice' });
      }
      expect(outcomes).toEqual(new Set([40, 0]));
    });

    it('deletes an account completely if an earlier deletion ended after any command', async () => {
      const account = { realm: 'users', userId: 'alice' };
      const outcomes = new Set<string>();
      for (let commands = 0; commands < 12; commands += 1) {
        await store.addCredential(account, { kind: 'identity', key: 'old' });
        const client = mortal(connected.client as IoRedisClient, commands);
        const dying = new RedisStore({ client, users, prefix: keys.prefix, cluster: name === 'a cluster' });
        await dying.deleteAccount(account).catch(() => undefined);
        outcomes.add((await store.findCredential('users', 'identity', 'old')) ? 'kept' : 'deleted');
        await store.deleteAccount(account);
        await store.addCredential(account, { kind: 'identity', key: 'new' });
        await expect(store.findCredentials(account, ['identity'])).resolves.toHaveLength(1);
        await expect(store.findCredential('users', 'identity', 'old')).resolves.toBeUndefined();
        await store.deleteAccount(account);
      }
      expect(outcomes).toEqual(new Set(['kept', 'deleted']));
    });

    it('revokes the grants that match every field of the filter, and no others', async () => {
      const tokens = [
        await issue(),
        await issue({ issuer: ELSEWHERE }),
        await issue({}, OTHER),
        await issue({ issuer: undefined }),
        await issue({}, WEB, BOB),
      ];
      const state = async () => (await Promise.all(tokens.map((token) => countValid([token])))).join('');
      await expect(store.revokeGrantsOf({ userId: 'alice', clientId: 'web', issuer: ELSEWHERE })).resolves.toBe(1);
      expect(await state()).toBe('10111');
      await expect(store.revokeGrantsOf({ userId: 'alice', issuer: ISSUER })).resolves.toBe(2);
      expect(await state()).toBe('00011');
      await expect(store.revokeGrantsOf({ userId: 'alice', clientId: 'web' })).resolves.toBe(1);
      expect(await state()).toBe('00001');
      const again = await issue();
      expect(await countValid([again])).toBe(1);
      await expect(store.listGrants('alice')).resolves.toMatchObject([{ id: again.grantId }]);
    });

    it('revokes a refresh token that is redeemed at the same time', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const user = { id: `user ${index}` };
          const old = await issue({}, WEB, user);
          const next = { accessToken: randomUUID(), refreshToken: randomUUID(), grantId: old.grantId };
          const moments = { accessTokenExpiresAt: later(), refreshTokenExpiresAt: later(7200) };
          await Promise.all([
            store.redeem(
              { ...old, refreshToken: old.refreshToken! },
              { ...next, ...moments, issuer: ISSUER },
              WEB,
              user,
            ),
            store.revokeGrantsOf({ userId: user.id }),
          ]);
          return countValid([old, next]);
        }),
      );
      expect(outcomes).toEqual(outcomes.map(() => 0));
    });

    it('removes revoked grants from the lists of the user and of the client', async () => {
      await Promise.all(Array.from({ length: 30 }, () => issue()));
      await store.revokeGrantsOf({ userId: 'alice', clientId: 'web' });
      const listed = async (list: string) =>
        ((JSON.parse((await keys.contents()).get(list)?.content ?? '[]') as string[]) ?? []).filter((each) =>
          /^[\w-]{36}$/.test(each),
        ).length;
      expect([await listed('grants-of-user:tokens:alice'), await listed('grants-of-client:web')]).toEqual([0, 0]);
    });
  });
}
