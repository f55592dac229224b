import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from 'nest-oauth2/server';
import { RedisStore } from 'nest-oauth2/stores/redis';

import { ALICE, later } from '../../support/models/model.js';
import { findStores, type KindOfStore, type OpenStore, WEB } from '../every-store.js';
import { canRunCluster, ClusterNodes } from '../redis-cluster-nodes.js';
import { DRIVERS, Keys } from '../redis-server.js';
import { users } from '../typeorm-databases.js';

const nodes = new ClusterNodes();
const hasCluster = canRunCluster();

const cluster: KindOfStore = {
  name: 'Redis Cluster',
  async open() {
    await nodes.start();
    const keys = new Keys(nodes.urls);
    const { client, close } = await DRIVERS[0]![1](nodes.urls);
    const make = () => new RedisStore({ client, users, prefix: keys.prefix });
    const store = make();
    await store.saveClient(WEB);
    const end = async () => {
      await keys.remove();
      await close();
      await nodes.stop();
    };
    return { store, another: make(), close: end };
  },
};

const [ISSUER, ELSEWHERE] = ['https://id.example', 'https://elsewhere.example'];
const CALLBACK = 'https://app.example/cb';

for (const kind of [...(await findStores()), ...(hasCluster ? [cluster] : [])]) {
  describe(`revokeBefore() with a store in ${kind.name}`, () => {
    let opened: OpenStore;
    // In a cluster, all processes know the time within one second.
    const isKnown = () => (kind === cluster ? sleep(1100) : Promise.resolve());

    beforeAll(async () => {
      opened = await kind.open();
    });
    // `revokeBefore()` also revokes a grant that begins in the same millisecond, here one of the next test.
    afterEach(() => sleep(5));
    afterAll(() => opened.close());

    /** Creates one of each revocable item for an issuer. Returns a function that reports which of them are found. */
    async function everything(issuer: string | undefined) {
      const { store, another } = opened;
      const [access, refresh, code, session, device, userCode, requestUri] = Array.from({ length: 7 }, () =>
        randomUUID(),
      );
      const moments = { accessTokenExpiresAt: later(), refreshTokenExpiresAt: later(7200) };
      const token = { accessToken: access!, refreshToken: refresh!, scope: 'read', issuer, ...moments };
      await store.saveToken(token, WEB, ALICE);
      const requested = { authorizationCode: code!, expiresAt: later(), redirectUri: CALLBACK, scope: 'read', issuer };
      await store.saveAuthorizationCode(requested, WEB, ALICE);
      const signedIn = { sessionId: session!, user: ALICE, authTime: new Date(), expiresAt: later() };
      await store.saveSession(issuer === undefined ? signedIn : { ...signedIn, issuer });
      const codes = { deviceCode: device!, userCode: userCode!, expiresAt: later(), interval: 5 };
      await store.saveDeviceAuthorization(issuer === undefined ? codes : { ...codes, issuer }, WEB);
      const pushed = {
        requestUri: requestUri!,
        clientId: 'web',
        parameters: {},
        openUntil: later(),
        expiresAt: later(),
      };
      await store.savePushedRequest({ ...pushed, ...(issuer !== undefined && { issuer }) });
      return async () => {
        const found = [
          await another.getAccessToken(access!),
          await another.getRefreshToken(refresh!),
          await another.getAuthorizationCode(code!),
          await another.getSession(session!),
          await another.getDeviceAuthorization(device!),
          await another.getDeviceAuthorizationByUserCode(userCode!),
          await another.getPushedRequest(requestUri!),
        ];
        return found.map((each) => (each ? '1' : '0')).join('');
      };
    }

    it('revokes what an issuer issued before, in every process, and nothing of other issuers', async () => {
      const [found, elsewhere, without] = [
        await everything(ISSUER),
        await everything(ELSEWHERE),
        await everything(undefined),
      ];
      expect([await found(), await elsewhere(), await without()]).toEqual(['1111111', '1111111', '1111111']);
      await opened.store.revokeBefore({ issuers: [ISSUER] });
      await isKnown();
      expect([await found(), await elsewhere(), await without()]).toEqual(['0000000', '1111111', '1111111']);
      await opened.store.revokeBefore({ issuers: [null] });
      await isKnown();
      expect([await elsewhere(), await without()]).toEqual(['1111111', '0000000']);
      await sleep(5);
      const next = await everything(ISSUER);
      expect(await next()).toBe('1111111');
      await opened.store.revokeBefore();
      await isKnown();
      expect([await elsewhere(), await next()]).toEqual(['0000000', '0000000']);
    });

    it('revokes a token that was refreshed after the given time, if its grant is older', async () => {
      const { store } = opened;
      const grantId = randomUUID();
      const issue = async () => {
        const secrets = { accessToken: randomUUID(), refreshToken: randomUUID(), grantId };
        const moments = { accessTokenExpiresAt: later(), refreshTokenExpiresAt: later(7200) };
        return store.saveToken({ ...secrets, ...moments, scope: 'read', issuer: ISSUER }, WEB, ALICE);
      };
      await issue();
      await sleep(20);
      const before = await store.revokeBefore({ issuers: [ELSEWHERE] });
      await sleep(20);
      const { accessToken } = await issue();
      await isKnown();
      await expect(store.getAccessToken(accessToken)).resolves.toBeDefined();
      await expect(store.revokeBefore({ before, issuers: [ISSUER] })).resolves.toEqual(before);
      await isKnown();
      await expect(store.getAccessToken(accessToken)).resolves.toBeUndefined();
    });

    it('never replaces a later time by an earlier one', async () => {
      const issuer = `https://${randomUUID()}.example`;
      const found = await everything(issuer);
      await opened.store.revokeBefore({ issuers: [issuer] });
      await opened.store.revokeBefore({ issuers: [issuer], before: new Date(1000) });
      await isKnown();
      expect(await found()).toBe('0000000');
    });

    it('deletes consents only if requested, and removes revoked grants from lists', async () => {
      const { store, another } = opened;
      const issuer = `https://${randomUUID()}.example`;
      await everything(issuer);
      const requested = { client: WEB, redirectUri: CALLBACK, scope: 'read', issuer };
      await store.saveConsent(ALICE, requested);
      const listed = async () => (await another.listGrants('alice')).filter((grant) => grant.issuer === issuer).length;
      expect(await listed()).toBe(1);
      await store.revokeBefore({ issuers: [issuer] });
      await isKnown();
      expect([await listed(), await another.hasConsented(ALICE, requested)]).toEqual([0, true]);
      await store.revokeBefore({ issuers: [issuer], consents: true });
      await isKnown();
      await expect(another.hasConsented(ALICE, requested)).resolves.toBe(false);
    });

    it('keeps clients and signing keys', async () => {
      const { store } = opened;
      await store.replaceSigningKeys(undefined, 'sealed');
      await store.revokeBefore({ consents: true });
      await isKnown();
      await expect(store.getSigningKeys()).resolves.toBe('sealed');
      await expect(store.findClient('web')).resolves.toBeDefined();
    });

    it('applies all of several concurrent calls', async () => {
      const issuers = Array.from({ length: 8 }, () => `https://${randomUUID()}.example`);
      const found = await Promise.all(issuers.map(everything));
      await Promise.all(issuers.map((issuer) => opened.store.revokeBefore({ issuers: [issuer] })));
      await isKnown();
      expect(await Promise.all(found.map((each) => each()))).toEqual(issuers.map(() => '0000000'));
    });

    it('rejects a time in the future, an invalid time, and empty issuers', async () => {
      const { store } = opened;
      for (const which of [
        { before: later(60) },
        { before: new Date(NaN) },
        { before: 'now' as never },
        { issuers: [] },
        { issuers: [''] },
      ]) {
        await expect(store.revokeBefore(which)).rejects.toThrow(InvalidArgumentError);
      }
    });
  });
}
