import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewCredential } from 'nest-oauth2/stores';

import { later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';

const ISSUER = 'https://id.example.com';

describe.each(await findStores())('the credentials of an account, with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  }, 60_000);
  afterAll(() => opened.close());

  const newAccount = () => ({ realm: 'realm', userId: randomUUID() });
  const passkey = (more: Partial<NewCredential> = {}): NewCredential => ({
    kind: 'passkey',
    key: randomUUID(),
    data: '{"n":1}',
    ...more,
  });

  it('are listed by kind and found by their key, also by another process', async () => {
    const { store, another } = opened;
    const account = newAccount();
    const [first, second] = [passkey(), passkey({ data: '{"n":2}' })];
    const password = passkey({ kind: 'password', key: account.userId });
    for (const each of [first, second, password]) expect(await store.addCredential(account, each)).toBe(true);
    const found = await another.findCredentials(account, ['passkey']);
    expect(new Set(found.map(({ data }) => data))).toEqual(new Set(['{"n":1}', '{"n":2}']));
    expect(await another.findCredentials(account, ['passkey', 'password', 'totp'])).toHaveLength(3);
    expect(await another.findCredentials({ ...account, realm: 'other' }, ['passkey'])).toEqual([]);
    const one = await another.findCredential('realm', 'passkey', first.key);
    expect(one).toEqual({ ...account, id: expect.any(String), kind: 'passkey', data: '{"n":1}' });
    expect(await another.findCredential('realm', 'identity', first.key)).toBeUndefined();
    expect(await another.findCredential('other', 'passkey', first.key)).toBeUndefined();
  });

  it('have keys that no other account of the realm has', async () => {
    const { store, another } = opened;
    const [one, other] = [newAccount(), newAccount()];
    const identity = passkey({ kind: 'identity', key: JSON.stringify(['https://up.example', randomUUID()]) });
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? store : another).addCredential(index % 4 < 2 ? one : other, identity),
      ),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await another.addCredential({ realm: 'other', userId: one.userId }, identity)).toBe(true);
  });

  it('are replaced and removed only if they were not changed since they were found', async () => {
    const { store, another } = opened;
    const account = newAccount();
    const code = passkey({ kind: 'recovery_code' });
    await store.addCredential(account, code);
    const found = (await store.findCredential('realm', 'recovery_code', code.key))!;
    expect(await another.replaceCredential(found, '{"n":2}')).toBe(true);
    expect(await another.replaceCredential(found, '{"n":3}')).toBe(false);
    expect(await another.removeCredential(found)).toBe(false);
    const current = (await store.findCredential('realm', 'recovery_code', code.key))!;
    expect(current.data).toBe('{"n":2}');
    const removals = await Promise.all([1, 2, 3, 4].map(() => another.removeCredential(current)));
    expect(removals.filter(Boolean)).toHaveLength(1);
    expect(await another.findCredentials(account, ['recovery_code'])).toEqual([]);
    expect(await another.addCredential(newAccount(), code)).toBe(true);
  });

  it('are not found after they have expired', async () => {
    const { store, another } = opened;
    const account = newAccount();
    const [valid, expired] = [
      passkey({ kind: 'challenge', expiresAt: later(60) }),
      passkey({ kind: 'challenge', expiresAt: later(-60) }),
    ];
    for (const each of [valid, expired]) await store.addCredential(account, each);
    expect(await another.findCredentials(account, ['challenge'])).toMatchObject([{ expiresAt: expect.any(Date) }]);
    expect(await another.findCredential('realm', 'challenge', expired.key)).toBeUndefined();
  });

  it('stay when all grants of the user are revoked', async () => {
    const { store, another } = opened;
    const account = newAccount();
    const credential = passkey();
    await store.addCredential(account, credential);
    await store.revokeGrantsOf({ userId: account.userId });
    await store.revokeBefore();
    expect(await another.findCredential('realm', 'passkey', credential.key)).toBeDefined();
  });

  it('end with the account and everything of its user, which may then begin again', async () => {
    const { store, another } = opened;
    const account = newAccount();
    const user = { id: account.userId };
    const credential = passkey();
    await store.addCredential(account, credential);
    const issue = (accessToken: string, issuer?: string) =>
      store.saveToken(
        { accessToken, accessTokenExpiresAt: later(), grantId: randomUUID(), ...(issuer && { issuer }) },
        WEB,
        user,
      );
    const names = Array.from({ length: 120 }, () => randomUUID());
    for (const name of names) await issue(name);
    const neighbor = { realm: 'realm', userId: randomUUID() };
    await store.addCredential(neighbor, passkey());

    expect(await another.deleteAccount(account)).toBe(121);
    expect(await store.findCredential('realm', 'passkey', credential.key)).toBeUndefined();
    expect(await another.getAccessToken(names[0]!)).toBeUndefined();
    expect(await another.listGrants(user.id)).toEqual([]);
    expect(await another.findCredentials(neighbor, ['passkey'])).toHaveLength(1);

    const again = passkey({ key: credential.key, data: '{"again":1}' });
    expect(await another.addCredential(account, again)).toBe(true);
    expect(await store.findCredentials(account, ['passkey'])).toMatchObject([{ data: '{"again":1}' }]);
    expect(await store.deleteAccount(account)).toBe(1);
    expect(await store.deleteAccount(account)).toBe(0);
  });

  it('of another owner outlive the account that they are about, and end once in a race', async () => {
    const { store, another } = opened;
    const account = newAccount();
    await store.addCredential(account, passkey());
    const key = randomUUID();
    const order = passkey({ kind: 'deletion', key, data: '{"stage":1}' });
    const orders = await Promise.all(
      Array.from({ length: 200 }, async (_, at) =>
        (at % 2 ? store : another).addCredential({ realm: 'realm', userId: '' }, order),
      ),
    );
    expect(orders.filter(Boolean)).toHaveLength(1);
    const found = (await store.findCredential('realm', 'deletion', key))!;
    await another.deleteAccount(account);
    expect(await store.findCredential('realm', 'deletion', key)).toEqual(found);
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async (_, at) =>
        at % 2 ? store.removeCredential(found) : another.replaceCredential(found, `{"attempt":${at}}`),
      ),
    );
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    const now = await store.findCredential('realm', 'deletion', key);
    expect(now === undefined).toBe(outcomes.indexOf(true) % 2 === 1);
    if (now) await store.removeCredential(now);
  });

  it('end without the grants at other issuers if the issuers of the realm are named', async () => {
    const { store, another } = opened;
    const account = newAccount();
    const token = randomUUID();
    const grant = { accessToken: token, accessTokenExpiresAt: later(), grantId: randomUUID(), issuer: ISSUER };
    await store.saveToken(grant, WEB, { id: account.userId });
    await store.addCredential(account, passkey());
    expect(await another.deleteAccount(account, { issuers: ['https://other.example'] })).toBe(1);
    expect(await another.listGrants(account.userId)).toHaveLength(1);
    expect(await another.deleteAccount(account, { issuers: [ISSUER] })).toBe(1);
    expect(await another.listGrants(account.userId)).toEqual([]);
  });
});
