import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { OAuth2Store, type StoredClient, type Users } from 'nest-oauth2/stores';
import { describeModelContract } from 'nest-oauth2/testing';
import { SILENT_RUN } from '../kit/silent-run.js';

import { later } from '../support/models/model.js';
import { MapStorage } from './map-storage.js';

const USER = { id: 'u1', username: 'Zoë 漢字', password: 'correct horse' };
const users: Users = {
  findByCredentials: (username, password) => username === USER.username && password === USER.password && USER,
  findById: (id) => id === USER.id && USER,
};
const SHARED = {
  grants: ['authorization_code', 'refresh_token', 'password', 'client_credentials'],
  scopes: ['read'],
};
const WEB: StoredClient = {
  id: 'Web-App',
  secret: 's3cret-Of-The-App',
  redirectUris: ['https://app.example/cb'],
  ...SHARED,
};
const OTHER: StoredClient = {
  id: 'other',
  secret: 'another-secret',
  redirectUris: ['https://other.example/cb'],
  ...SHARED,
};

async function makeStore(): Promise<OAuth2Store> {
  const store = new OAuth2Store({ storage: new MapStorage(), users });
  for (const client of [WEB, OTHER]) await store.saveClient(client);
  return store;
}

const shared = makeStore();

describeModelContract(
  'a store with an application’s own storage',
  async () => ({
    model: await shared,
    client: { id: WEB.id, secret: String(WEB.secret) },
    otherClient: { id: OTHER.id, secret: String(OTHER.secret) },
    user: USER,
    scopes: ['read'],
  }),
  SILENT_RUN,
);

describe('an application’s own storage', () => {
  const session = { sessionId: 'cookie', user: USER, authTime: new Date() };
  const requested = {
    client: { ...WEB, consent: 'once' as const },
    redirectUri: 'https://app.example/cb',
    scope: 'read',
  };

  it('imports only the entry `nest-oauth2/stores`', () => {
    const source = readFileSync(join(import.meta.dirname, 'map-storage.ts'), 'utf8');
    const imported = [...source.matchAll(/ from '([^']+)'/g)].map(([, name]) => name);
    expect(imported).toEqual(['node:timers/promises', 'nest-oauth2/stores']);
  });

  it('stores sessions, and ends them with the grants of the user', async () => {
    const store = await makeStore();
    await store.saveSession({ ...session, expiresAt: later() });
    expect(await store.getSession('cookie')).toMatchObject({ user: USER });
    expect((await store.listSessions({ userId: USER.id })).sessions).toHaveLength(1);
    expect(await store.revokeGrantsOf({ userId: USER.id })).toBe(1);
    expect(await store.getSession('cookie')).toBeUndefined();
  });

  it('remembers consents until revokeBefore() is called with `consents: true`', async () => {
    const store = await makeStore();
    await store.saveConsent(USER, requested);
    expect(await store.hasConsented(USER, requested)).toBe(true);
    await store.revokeBefore();
    expect(await store.hasConsented(USER, requested)).toBe(true);
    await store.revokeBefore({ consents: true });
    expect(await store.hasConsented(USER, requested)).toBe(false);
  });

  it('lists grants in pages, without grants older than revokeBefore()', async () => {
    const store = await makeStore();
    for (const name of ['a', 'b', 'c']) {
      const token = { accessToken: name, accessTokenExpiresAt: later(), grantId: name, scope: 'read' };
      await store.saveToken(token, WEB, USER);
    }
    const first = await store.pageGrants({ clientId: WEB.id, limit: 2 });
    expect(first.grants.map(({ id }) => id)).toEqual(['a', 'b']);
    const second = await store.pageGrants({ clientId: WEB.id, after: first.next!, limit: 2 });
    expect(second.grants.map(({ id }) => id)).toEqual(['c']);
    await store.revokeBefore();
    expect(await store.getAccessToken('a')).toBeUndefined();
    expect(await store.listGrants(USER.id)).toEqual([]);
  });

  it('works if the application stores its clients itself', async () => {
    const store = new OAuth2Store({
      storage: new MapStorage(),
      users,
      clients: { findById: (id) => id === WEB.id && WEB },
    });
    expect(await store.getClient(WEB.id, String(WEB.secret))).toMatchObject({ id: WEB.id });
    expect(store.canRegister()).toBe(false);
    await expect(store.saveClient(OTHER)).rejects.toThrow(
      'this store has the option `clients`, so it cannot save clients',
    );
  });
});
