import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';

const ISSUER = 'https://id.example.com';
const LIVE = 200;

interface Storage {
  keep(grant: object | undefined, rows: readonly object[]): unknown;
  hasGrant(id: string): unknown;
  listGrants(userId: string, kinds: readonly string[]): unknown;
}

describe.each(await findStores())(
  'an authorization request of a user with many grants, with a store in $name',
  ({ open }) => {
    let opened: OpenStore;
    const user = { id: randomUUID() };
    beforeAll(async () => {
      opened = await open();
      const token = () => ({ accessToken: randomUUID(), accessTokenExpiresAt: later(), grantId: randomUUID() });
      for (let count = 0; count < LIVE; count += 1)
        await opened.store.saveToken({ ...token(), scope: 'read', issuer: ISSUER }, WEB, user);
    }, 60_000);
    afterAll(() => opened.close());

    /** Counts the look-ups of an operation, and the grants that they read. */
    async function costOf(step: () => Promise<unknown>) {
      const { storage } = opened.store as unknown as { storage: Storage };
      const cost = { listed: 0, found: 0, read: 0 };
      const [list, has] = [storage.listGrants.bind(storage), storage.hasGrant.bind(storage)];
      jest.spyOn(storage, 'listGrants').mockImplementation(async (id, kinds) => {
        const grants = (await list(id, kinds)) as unknown[];
        cost.listed += 1;
        cost.read += grants.length;
        return grants;
      });
      jest.spyOn(storage, 'hasGrant').mockImplementation(async (id) => {
        cost.found += 1;
        return has(id);
      });
      const result = await step();
      jest.restoreAllMocks();
      return { result, cost };
    }

    const requested = (scope: string) => ({
      client: WEB,
      scope,
      redirectUri: 'https://app.example/cb',
      issuer: ISSUER,
    });
    const signIn = (more: object = {}) => ({
      userId: user.id,
      sid: 'session',
      clientId: WEB.id,
      sub: user.id,
      issuer: ISSUER,
      ...more,
    });

    it('consents are read with one look-up that returns no other grants, although the user has many grants', async () => {
      const { store, another } = opened;
      const before = await costOf(() => store.hasConsented(user, requested('read')));
      expect(before).toEqual({ result: false, cost: { listed: 1, found: 0, read: 0 } });
      await another.saveConsent(user, requested('read'));
      const after = await costOf(() => store.hasConsented(user, requested('read')));
      expect(after).toEqual({ result: true, cost: { listed: 1, found: 0, read: 1 } });
    });

    it('a sign-in at a client is stored without reading lists of grants', async () => {
      const { cost } = await costOf(() => opened.store.saveSessionClient(signIn(), later(60)));
      expect(cost).toEqual({ listed: 0, found: 1, read: 0 });
    });

    it('a sign-in at a client is stored once if many processes save it concurrently', async () => {
      const one = signIn({ sid: randomUUID() });
      const saves = Array.from({ length: 40 }, (_, count) => (count % 2 === 0 ? opened.store : opened.another));
      await Promise.all(saves.map((store) => store.saveSessionClient(one, later(60))));
      const { result, cost } = await costOf(() => opened.store.takeSessionClients({ userId: user.id, sid: one.sid }));
      expect(result).toEqual([one]);
      expect(cost.listed).toBe(1);
      expect(cost.read).toBeLessThan(LIVE);
      // A session that continues after a sign-out stores the sign-in again, once.
      await Promise.all(saves.map((store) => store.saveSessionClient(one, later(60))));
      expect(await opened.another.takeSessionClients({ userId: user.id, sid: one.sid })).toEqual([one]);
    });

    it('a consent is stored at most twice if many processes save it concurrently', async () => {
      const other = { id: randomUUID() };
      await Promise.all(Array.from({ length: 20 }, () => opened.store.saveConsent(other, requested('read'))));
      const { result, cost } = await costOf(() => opened.another.hasConsented(other, requested('read')));
      expect(result).toBe(true);
      // There is one more if a new minute begins meanwhile.
      expect(cost.read).toBeLessThanOrEqual(2);
      await opened.another.revokeGrantsOf({ userId: other.id });
      await opened.store.saveConsent(other, requested('read'));
      expect(await opened.another.hasConsented(other, requested('read'))).toBe(true);
    });

    it('consents of a user with many grants are listed, and deleted together with sign-ins and grants of the user', async () => {
      const { store, another } = opened;
      const other = { id: randomUUID() };
      await store.saveConsent(other, requested('read'));
      await store.saveSessionClient(signIn({ userId: other.id }), later(60));
      expect(await another.listApplications(other.id)).toMatchObject([{ clientId: WEB.id, scope: 'read' }]);
      expect(await another.listGrants(other.id)).toEqual([]);
      expect(await another.revokeGrantsOf({ userId: other.id, clientId: 'another' })).toBe(0);
      expect(await store.hasConsented(other, requested('read'))).toBe(true);
      expect(await another.revokeGrantsOf({ userId: other.id })).toBe(2);
      expect(await store.hasConsented(other, requested('read'))).toBe(false);
      expect(await store.takeSessionClients({ userId: other.id })).toEqual([]);
    });
  },
);
