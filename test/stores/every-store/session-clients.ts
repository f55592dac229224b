import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { SessionClient } from 'nest-oauth2/openid';

import { later } from '../../support/models/model.js';
import { findStores, type OpenStore } from '../every-store.js';

const ISSUER = 'https://id.example.com';

describe.each(await findStores())('the clients of a session, with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  afterEach(() => void jest.restoreAllMocks());

  const newOne = (more: Partial<SessionClient> = {}): SessionClient => ({
    userId: randomUUID(),
    sid: randomUUID(),
    clientId: 'web',
    sub: 'sub',
    issuer: ISSUER,
    ...more,
  });

  it('each client of a session is stored once for all processes, and not listed as a grant', async () => {
    const one = newOne();
    for (let times = 0; times < 2; times += 1) await opened.store.saveSessionClient(one, later(60));
    expect(await opened.another.listGrants(one.userId)).toEqual([]);
    expect(await opened.another.listApplications(one.userId)).toEqual([]);
    expect(await opened.another.takeSessionClients({ userId: one.userId, sid: one.sid })).toEqual([one]);
    expect(await opened.store.takeSessionClients({ userId: one.userId })).toEqual([]);
    // Signing in again stores the client again.
    await opened.store.saveSessionClient(one, later(60));
    expect(await opened.another.takeSessionClients({ userId: one.userId })).toEqual([one]);
  });

  it('a client is stored once if the user signs in again after a logout, whatever the time between the calls', async () => {
    const one = newOne();
    const minute = Date.now();
    await opened.store.saveSessionClient(one, later(60));
    await opened.store.takeSessionClients({ userId: one.userId });
    for (const [index, store] of [opened.store, opened.another].entries()) {
      jest.spyOn(Date, 'now').mockReturnValue(minute + index * 61_000);
      await store.saveSessionClient(one, later(60));
    }
    jest.restoreAllMocks();
    expect(await opened.store.takeSessionClients({ userId: one.userId })).toEqual([one]);
  });

  it('clients of a session are selected by session, client and issuer, and returned to one of several concurrent requests', async () => {
    const one = newOne({ grantId: randomUUID() });
    const { userId } = one;
    const others = [
      newOne({ userId }),
      newOne({ userId, clientId: 'other' }),
      newOne({ userId, issuer: 'https://other.example' }),
    ];
    for (const each of [one, ...others, newOne()]) await opened.store.saveSessionClient(each, later(60));
    const { store, another } = opened;
    const taken = await Promise.all(
      [store, another, store].map(async (each) => each.takeSessionClients({ userId, sid: one.sid })),
    );
    expect(taken.flat()).toEqual([one]);
    expect(await store.takeSessionClients({ userId, clientId: 'other', issuer: ISSUER })).toEqual([others[1]]);
    expect(await store.takeSessionClients({ userId, issuer: 'https://other.example' })).toEqual([others[2]]);
    expect(await store.takeSessionClients({ userId })).toEqual([others[0]]);
  });

  it('clients of a session are deleted when they expire', async () => {
    const one = newOne();
    await opened.store.saveSessionClient(one, new Date(Date.now() - 1000));
    expect(await opened.another.takeSessionClients({ userId: one.userId })).toEqual([]);
  });

  it('onSignOut() receives the clients of a user’s sessions when the user’s grants are revoked, for its own issuer only', async () => {
    const issuer = `https://${randomUUID()}.example`;
    const heard: SessionClient[] = [];
    opened.store.onSignOut(issuer, (ended) => heard.push(...ended));
    const one = newOne({ issuer });
    const { userId } = one;
    for (const each of [one, newOne({ userId }), newOne({ issuer })])
      await opened.another.saveSessionClient(each, later(60));
    await opened.store.revokeGrantsOf({ userId });
    await opened.store.revokeGrantsOf({ userId });
    expect(heard).toEqual([one]);
  });

  it.each(['userId', 'clientId'] as const)(
    'revokeGrantsOf() with %s ends the sign-ins, also without a listener',
    async (name) => {
      const ended = newOne({ clientId: randomUUID() });
      const other = newOne();
      for (const each of [ended, other]) await opened.store.saveSessionClient(each, later(60));
      await opened.another.revokeGrantsOf({ [name]: ended[name] });
      expect(await opened.store.takeSessionClients({ userId: ended.userId })).toEqual([]);
      expect(await opened.store.takeSessionClients({ userId: other.userId })).toEqual([other]);
    },
  );

  it('onSignOut() receives the clients of a session although revoking the user’s other grants fails', async () => {
    const issuer = `https://${randomUUID()}.example`;
    const heard: SessionClient[] = [];
    opened.store.onSignOut(issuer, (ended) => heard.push(...ended));
    const one = newOne({ issuer });
    const { userId } = one;
    await opened.store.saveSessionClient(one, later(60));
    failAt(2);
    await expect(opened.store.revokeGrantsOf({ userId })).rejects.toThrow('The store is away');
    expect(heard).toEqual([one]);
  });

  it('clients of a session that could not be removed are returned by a later call', async () => {
    const one = newOne();
    const others = [newOne({ userId: one.userId }), newOne({ userId: one.userId })];
    for (const each of [one, ...others]) await opened.store.saveSessionClient(each, later(60));
    const { userId } = one;
    failAt(2);
    const some = await opened.store.takeSessionClients({ userId });
    expect(some).toHaveLength(1);
    jest.restoreAllMocks();
    failAt(1);
    await expect(opened.store.takeSessionClients({ userId })).rejects.toThrow('The store is away');
    const rest = await opened.store.takeSessionClients({ userId });
    expect(new Set([...some, ...rest])).toEqual(new Set([one, ...others]));
  });

  it('a client of a session remains stored if it is saved again while another process removes it', async () => {
    const one = newOne();
    const { userId } = one;
    await opened.store.saveSessionClient(one, later(60));
    const { storage } = opened.store as unknown as { storage: { hasGrant(id: string): unknown } };
    const has = storage.hasGrant.bind(storage);
    jest.spyOn(storage, 'hasGrant').mockImplementationOnce(async (id) => {
      await opened.another.takeSessionClients({ userId });
      return has(id);
    });
    await opened.store.saveSessionClient(one, later(60));
    expect(await opened.another.takeSessionClients({ userId })).toEqual([one]);
  });

  /** Makes the revocation with this ordinal number fail. */
  function failAt(time: number) {
    const { storage } = opened.store as unknown as { storage: { revokeGrants(filter: object): unknown } };
    const revoke = storage.revokeGrants.bind(storage);
    let times = 0;
    jest.spyOn(storage, 'revokeGrants').mockImplementation(async (filter) => {
      if ((times += 1) === time) throw new Error('The store is away');
      return revoke(filter);
    });
  }
});
