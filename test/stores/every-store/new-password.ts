import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';
import { users } from '../typeorm-databases.js';

describe.each(await findStores())('a changed password with a store in $name', ({ open }) => {
  let opened: OpenStore;
  let store: OpenStore['store'];
  let another: OpenStore['store'];
  /** The password hashes that the application stores. */
  const hashes: Record<string, string | null> = {};

  beforeAll(async () => {
    opened = await open();
    ({ store, another } = opened);
  });
  afterAll(() => opened.close());
  const reported = () => {
    users.credentialOf = ({ id }) => hashes[String(id)];
  };
  afterEach(() => {
    delete users.credentialOf;
  });

  const somebody = (hash: string | null = 'first') => {
    const user = { id: `user ${randomUUID()}` };
    hashes[user.id] = hash;
    return user;
  };
  const tokens = () => ({
    accessToken: randomUUID(),
    accessTokenExpiresAt: later(),
    refreshToken: randomUUID(),
    refreshTokenExpiresAt: later(),
    grantId: randomUUID(),
    scope: 'read',
  });
  const isAlive = async (accessToken: string) => (await another.getAccessToken(accessToken)) !== undefined;

  it('a changed password ends a remembered session that is continued at the same time', async () => {
    reported();
    const alice = somebody();
    const session = { sessionId: randomUUID(), user: alice, authTime: new Date(), expiresAt: later() };
    const token = randomUUID();
    await store.saveSession({ ...session, remembered: { token, expiresAt: later() } });
    hashes[alice.id] = 'second';
    const next = { ...session, sessionId: randomUUID() };
    await another.continueSession(token, next);
    expect(await store.getSession(next.sessionId)).toBeUndefined();
  });

  it('a changed password revokes tokens, codes and sessions of the user, and none of other users', async () => {
    reported();
    const [alice, bob] = [somebody(), somebody()];
    const token = await store.saveToken(tokens(), WEB, alice);
    const bobs = await store.saveToken(tokens(), WEB, bob);
    const own = await store.saveToken(tokens(), WEB, await store.getUserFromClient(WEB));
    const code = { authorizationCode: randomUUID(), expiresAt: later(), redirectUri: WEB.redirectUris![0]! };
    await store.saveAuthorizationCode(code, WEB, alice);
    const session = { sessionId: randomUUID(), user: alice, authTime: new Date(), expiresAt: later() };
    await store.saveSession(session);
    expect(await isAlive(token.accessToken)).toBe(true);
    expect(await another.getRefreshToken(token.refreshToken!)).toBeDefined();
    expect(await another.getAuthorizationCode(code.authorizationCode)).toBeDefined();
    expect(await another.getSession(session.sessionId)).toMatchObject({ user: alice });
    expect([await store.listGrants(alice.id), await store.listApplications(alice.id)]).toMatchObject([[{}], [{}]]);
    hashes[alice.id] = 'second';
    expect(await isAlive(token.accessToken)).toBe(false);
    expect(await another.getRefreshToken(token.refreshToken!)).toBeUndefined();
    expect(await another.getAuthorizationCode(code.authorizationCode)).toBeUndefined();
    expect(await another.getSession(session.sessionId)).toBeUndefined();
    expect([await store.listGrants(alice.id), await store.listApplications(alice.id)]).toEqual([[], []]);
    expect([await isAlive(bobs.accessToken), await isAlive(own.accessToken)]).toEqual([true, true]);
    const next = await store.saveToken(tokens(), WEB, alice);
    expect(await isAlive(next.accessToken)).toBe(true);
  });

  it('a changed password revokes device codes that are pending, approved or redeemed', async () => {
    reported();
    const alice = somebody();
    const requested = () => ({
      deviceCode: randomUUID(),
      userCode: randomUUID(),
      expiresAt: later(),
      interval: 5,
      scope: 'read',
    });
    const [pending, decided] = [requested(), requested()];
    for (const each of [pending, decided]) {
      await store.saveDeviceAuthorization(each, WEB);
      const found = (await store.getDeviceAuthorization(each.deviceCode))!;
      expect(await another.decideDeviceAuthorization(found, { user: alice, scope: 'read' })).toBe(true);
    }
    const found = (await store.getDeviceAuthorization(decided.deviceCode))!;
    expect(found).toMatchObject({ user: alice });
    expect(found).not.toHaveProperty('credential');
    const token = { ...tokens(), grantId: found.grantId! };
    await store.redeemDeviceCode(found, token, WEB, alice);
    expect(await isAlive(token.accessToken)).toBe(true);
    hashes[alice.id] = 'second';
    expect(await isAlive(token.accessToken)).toBe(false);
    expect(await another.getDeviceAuthorization(pending.deviceCode)).toBeUndefined();
  });

  it('a changed password revokes tokens that are refreshed at the same time', async () => {
    reported();
    const alice = somebody();
    const first = await store.saveToken(tokens(), WEB, alice);
    const used = (await store.getRefreshToken(first.refreshToken!))!;
    hashes[alice.id] = 'second';
    const late = { ...tokens(), grantId: first.grantId! };
    await another.redeem(used, late, WEB, alice);
    expect(await isAlive(late.accessToken)).toBe(false);
  });

  it('a changed password revokes tokens that are exchanged at the same time', async () => {
    reported();
    const alice = somebody();
    const first = await store.saveToken(tokens(), WEB, alice);
    const subjects = [
      (await store.getAccessToken(first.accessToken))!,
      (await store.getRefreshToken(first.refreshToken!))!,
    ];
    hashes[alice.id] = 'second';
    for (const subject of subjects) {
      const { accessToken, accessTokenExpiresAt, scope } = tokens();
      await another.saveExchangedToken(subject, { accessToken, accessTokenExpiresAt, scope }, WEB, alice);
      expect(await isAlive(accessToken)).toBe(false);
    }
  });

  it('a changed password is detected by a fingerprint, which refreshed tokens inherit and the model does not return', async () => {
    reported();
    const alice = somebody();
    const first = await store.saveToken(tokens(), WEB, alice);
    const used = (await store.getRefreshToken(first.refreshToken!))!;
    const next = { ...tokens(), grantId: first.grantId! };
    expect(await another.redeem(used, next, WEB, alice)).not.toHaveProperty('credential');
    expect(await store.getAccessToken(next.accessToken)).not.toHaveProperty('credential');
    expect(await isAlive(next.accessToken)).toBe(true);
    hashes[alice.id] = 'second';
    expect(await isAlive(next.accessToken)).toBe(false);
  });

  it('the first password of a user revokes tokens that were issued before', async () => {
    reported();
    const alice = somebody(null);
    const { accessToken } = await store.saveToken(tokens(), WEB, alice);
    expect(await isAlive(accessToken)).toBe(true);
    hashes[alice.id] = 'first';
    expect(await isAlive(accessToken)).toBe(false);
  });

  it('a changed password does not revoke tokens issued before the application reported password hashes', async () => {
    const alice = somebody();
    const { accessToken } = await store.saveToken(tokens(), WEB, alice);
    reported();
    hashes[alice.id] = 'second';
    expect(await isAlive(accessToken)).toBe(true);
  });
});
