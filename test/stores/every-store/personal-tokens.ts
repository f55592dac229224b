import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewPersonalToken } from 'nest-oauth2/server';

import { later } from '../../support/models/model.js';
import { waitUntil } from '../../support/environment/wait-until.js';
import { findStores, type OpenStore } from '../every-store.js';

const ISSUER = 'https://id.example.com';
const OTHER_ISSUER = 'https://other.example.com';

describe.each(await findStores())('the personal access tokens of a user, with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  }, 60_000);
  afterAll(() => opened.close());

  const newUser = () => ({ id: randomUUID() });
  const newToken = (more: Partial<NewPersonalToken> = {}): NewPersonalToken => ({
    token: `pat_${randomUUID()}`,
    name: 'CI',
    scope: 'read write',
    issuer: ISSUER,
    expiresAt: later(),
    ...more,
  });

  it('are found by their text and listed, also by another process', async () => {
    const { store, another } = opened;
    const user = newUser();
    const token = newToken({ resource: ['https://api.example.com'] });
    const id = await store.savePersonalToken(token, user);
    const { token: text, ...more } = token;
    // A database may compute the expiry by its own clock.
    const described = { ...more, expiresAt: expect.any(Date) };
    expect(await another.findPersonalToken(text)).toMatchObject({ ...described, id, user, networks: [] });
    expect(await another.findPersonalToken(`${text}x`)).toBeUndefined();
    expect(await another.getAccessToken(text)).toBeUndefined();

    const elsewhere = newToken({ issuer: OTHER_ISSUER, name: 'Backup' });
    await store.savePersonalToken(elsewhere, user);
    await store.savePersonalToken(newToken({ expiresAt: later(-60) }), user);
    const listed = await another.listPersonalTokens({ userId: user.id });
    expect(listed.map(({ name }) => name).toSorted()).toEqual(['Backup', 'CI']);
    const [own] = await another.listPersonalTokens({ userId: user.id, issuer: ISSUER });
    expect(own).toEqual({ ...described, id, userId: user.id, createdAt: expect.any(Date) });
    expect(JSON.stringify(listed)).not.toContain('pat_');
    // They are neither grants of clients nor sessions.
    expect(await another.listGrants(user.id)).toEqual([]);
    expect((await another.listSessions({ userId: user.id })).sessions).toEqual([]);
  });

  it('record a use for exactly one of several concurrent callers', async () => {
    const { store, another } = opened;
    const user = newUser();
    const token = newToken();
    await store.savePersonalToken(token, user);
    const found = (await store.findPersonalToken(token.token))!;
    const used = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? store : another).recordPersonalTokenUse(found, {
          lastUsedAt: new Date(1_000_000 + index),
          networks: [`network ${index}`],
        }),
      ),
    );
    expect(used.filter(Boolean)).toHaveLength(1);
    const recorded = { lastUsedAt: new Date(1_000_000 + used.indexOf(true)) };
    expect(await another.findPersonalToken(token.token)).toMatchObject({
      ...recorded,
      networks: [`network ${used.indexOf(true)}`],
    });
    expect(await another.listPersonalTokens({ userId: user.id })).toMatchObject([recorded]);
  });

  it('end alone, and with everything of their user', async () => {
    const { store, another } = opened;
    const [user, stranger] = [newUser(), newUser()];
    const save = async (token: NewPersonalToken, owner = user) => ({
      id: await store.savePersonalToken(token, owner),
      isValid: async () => (await another.findPersonalToken(token.token)) !== undefined,
    });
    const [one, other, foreign] = [await save(newToken()), await save(newToken()), await save(newToken(), stranger)];
    expect(await store.revokePersonalToken({ id: one.id, userId: stranger.id })).toBe(false);
    expect(await store.revokePersonalToken({ id: one.id, userId: user.id, issuer: OTHER_ISSUER })).toBe(false);
    const ended = await Promise.all([1, 2].map(() => another.revokePersonalToken({ id: one.id, userId: user.id })));
    expect(ended.filter(Boolean)).toHaveLength(1);
    expect([await one.isValid(), await other.isValid()]).toEqual([false, true]);
    await store.revokeGrantsOf({ userId: user.id });
    expect([await other.isValid(), await foreign.isValid()]).toEqual([false, true]);
    expect(await another.listPersonalTokens({ userId: user.id })).toEqual([]);
  });

  it('of two tenants whose users have the same ID end apart, and once for 200 callers', async () => {
    const { store, another } = opened;
    const user = newUser();
    const [here, there] = [newToken(), newToken({ issuer: OTHER_ISSUER })];
    const id = await store.savePersonalToken(here, user);
    await store.savePersonalToken(there, user);
    const race = async (issuer: string) => {
      const ended = await Promise.all(
        Array.from({ length: 200 }, async (_, at) =>
          (at % 2 ? store : another).revokePersonalToken({ id, userId: user.id, issuer }),
        ),
      );
      return ended.filter(Boolean).length;
    };
    expect(await race(OTHER_ISSUER)).toBe(0);
    expect(await another.findPersonalToken(here.token)).toBeDefined();
    expect(await race(ISSUER)).toBe(1);
    expect(await another.findPersonalToken(here.token)).toBeUndefined();
    expect(await another.findPersonalToken(there.token)).toMatchObject({ issuer: OTHER_ISSUER });
    expect(await another.listPersonalTokens({ userId: user.id, issuer: ISSUER })).toEqual([]);
    // The deletion of the account at one tenant leaves the token of the other.
    expect(await another.deleteAccount({ realm: 'one', userId: user.id }, { issuers: [ISSUER] })).toBeLessThan(2);
    expect(await store.findPersonalToken(there.token)).toBeDefined();
    expect(await another.deleteAccount({ realm: 'two', userId: user.id }, { issuers: [OTHER_ISSUER] })).toBe(1);
    expect(await store.findPersonalToken(there.token)).toBeUndefined();
  });

  it('leave nothing behind when the account is deleted, even if a use is recorded at the same time', async () => {
    const { store, another } = opened;
    const user = newUser();
    const token = newToken();
    await store.savePersonalToken(token, user);
    const found = (await store.findPersonalToken(token.token))!;
    expect(await another.deleteAccount({ realm: 'realm', userId: user.id })).toBe(1);
    expect(await store.recordPersonalTokenUse(found, { lastUsedAt: new Date(), networks: [] })).toBe(false);
    expect(await another.findPersonalToken(token.token)).toBeUndefined();
    expect(await another.deleteAccount({ realm: 'realm', userId: user.id })).toBe(0);
  });

  it('end with all grants from before a time', async () => {
    const { store, another } = opened;
    const token = newToken();
    await store.savePersonalToken(token, newUser());
    await store.revokeBefore({ issuers: [ISSUER] });
    await waitUntil(async () => (await another.findPersonalToken(token.token)) === undefined);
    expect(await store.findPersonalToken(token.token)).toBeUndefined();
  });
});
