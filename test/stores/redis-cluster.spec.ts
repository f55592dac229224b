import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import type { RedisStore } from 'nest-oauth2/stores/redis';
import { describeModelContract } from 'nest-oauth2/testing';
import { SILENT_RUN } from '../kit/silent-run.js';

import { later, WEB } from '../support/models/model.js';
import {
  runOperation,
  authorizeRequest,
  CHALLENGE,
  formRequest,
  signedIn,
  VERIFIER,
} from '../support/clients/requests.js';
import { canRunCluster, ClusterNodes } from './redis-cluster-nodes.js';
import { BOB, makeQuickStore, QUICK_FIXTURES } from './redis-fixtures.js';
import { type Connected, DRIVERS, Keys } from './redis-server.js';

const drivers = canRunCluster() ? DRIVERS : [];
const nodes = new ClusterNodes();

beforeAll(() => (drivers.length > 0 ? nodes.start() : undefined), 30_000);
afterAll(() => nodes.stop());

it('the Redis Cluster tests run with ioredis and node-redis', () => {
  expect(DRIVERS.map(([name]) => name)).toEqual(['ioredis', 'node-redis']);
});

for (const [name, connect] of drivers) {
  describe(`a Redis store on a cluster with ${name}`, () => {
    let connected: Connected;
    let keys: Keys;
    let store: RedisStore;
    let server: OAuth2Server;

    beforeAll(async () => {
      connected = await connect(nodes.urls);
      keys = new Keys(nodes.urls);
      store = await makeQuickStore(connected.client, { prefix: keys.prefix });
      server = new OAuth2Server({ model: store });
    });
    afterAll(async () => {
      await keys.remove();
      await connected.close();
    });

    const issue = () => {
      const secrets = { accessToken: randomUUID(), refreshToken: randomUUID(), grantId: randomUUID() };
      const moments = { accessTokenExpiresAt: later(), refreshTokenExpiresAt: later() };
      return store.saveToken({ ...secrets, ...moments, scope: 'read' }, WEB, BOB);
    };

    const makeModel = () => ({ model: store, ...QUICK_FIXTURES });
    describeModelContract(`RedisStore on a cluster, over ${name}`, makeModel, SILENT_RUN);

    it('distributes keys over the nodes, and finds all of them', async () => {
      const tokens = await Promise.all(Array.from({ length: 100 }, issue));
      for (const count of await keys.spread()) expect(count).toBeGreaterThan(50);
      const found = await Promise.all(tokens.map(({ accessToken }) => store.getAccessToken(accessToken)));
      expect(found.map((token) => token?.grantId)).toEqual(tokens.map(({ grantId }) => grantId));
      await expect(store.listGrants('bob')).resolves.toHaveLength(100);
      await keys.forgetScripts();
      await expect(store.revokeGrantsOf({ userId: 'bob' })).resolves.toBe(100);
      const left = await Promise.all(tokens.map(({ accessToken }) => store.getAccessToken(accessToken)));
      expect(left.filter(Boolean)).toEqual([]);
    });

    it('lets at most one of two hundred requests redeem a code, and revokes its tokens after the replays', async () => {
      const spa = { client_id: 'spa', redirect_uri: 'https://spa.example/cb' };
      const requested = { ...spa, code_challenge: CHALLENGE, code_challenge_method: 'S256' };
      const { redirected } = await runOperation(server, 'authorize', authorizeRequest(requested), signedIn);
      const redemption = {
        ...spa,
        grant_type: 'authorization_code',
        code: redirected['code'],
        code_verifier: VERIFIER,
      };
      const redeem = () => runOperation(server, 'token', formRequest(redemption));
      const responses = await Promise.all(Array.from({ length: 200 }, redeem));
      const winners = responses.filter(({ status }) => status === 200);
      expect(winners.length).toBeLessThanOrEqual(1);
      for (const { body } of winners) {
        await expect(store.getAccessToken(String(body['access_token']))).resolves.toBeUndefined();
      }
    });
  });
}
