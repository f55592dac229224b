import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';

const ISSUER = 'https://id.example.com';

describe.each(await findStores())('outbound notifications with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const newOne = () => ({
    id: randomUUID(),
    kind: 'logout' as const,
    issuer: ISSUER,
    clientId: 'web',
    host: 'client.example',
    data: { sub: 'alice' },
    createdAt: Date.now(),
  });
  const stored = async (id: string) => (await opened.another.listNotifications()).filter((one) => one.id === id);

  it('outbound notifications are listed in every process until they are removed', async () => {
    const one = newOne();
    await opened.store.saveNotification(one, later(60));
    expect(await stored(one.id)).toEqual([one]);
    await opened.another.removeNotification(one.id);
    await opened.store.removeNotification(one.id);
    expect(await stored(one.id)).toEqual([]);
  });

  it('an outbound notification is claimed by one of several concurrent processes', async () => {
    const { id } = newOne();
    const { store, another } = opened;
    const all = await Promise.all([store, another, store, another].map((each) => each.claimNotification(id, 60)));
    expect(all.filter(Boolean)).toHaveLength(1);
  });

  it('outbound notifications are not listed after they have expired', async () => {
    const one = newOne();
    await opened.store.saveNotification(one, new Date(Date.now() - 60_000));
    expect(await stored(one.id)).toEqual([]);
  });

  it('outbound notifications remain stored when the tokens of their client are revoked', async () => {
    const one = newOne();
    await opened.store.saveNotification(one, later(60));
    await opened.store.revokeGrantsOf({ clientId: 'web' });
    expect(await stored(one.id)).toEqual([one]);
    await opened.store.removeNotification(one.id);
  });

  it('outbound notifications cannot be confused with the grants of a user with any id', async () => {
    const { store, another } = opened;
    const one = newOne();
    await store.saveNotification(one, later(60));
    for (const id of ['message', 'nest-oauth2:notifications', ' ']) {
      const token = { accessToken: randomUUID(), accessTokenExpiresAt: later() };
      await store.saveToken(token, WEB, { id });
      expect(await stored(one.id)).toEqual([one]);
      expect(await another.listApplications(id)).toMatchObject([{ clientId: WEB.id }]);
      expect(await store.revokeGrantsOf({ userId: id })).toBe(1);
      expect(await stored(one.id)).toEqual([one]);
    }
    await store.removeNotification(one.id);
  });

  it('outbound notifications remain stored after revokeBefore()', async () => {
    const one = newOne();
    await opened.store.saveNotification(one, later(60));
    await opened.store.revokeBefore();
    expect(await stored(one.id)).toEqual([one]);
    await opened.store.removeNotification(one.id);
  });
});
