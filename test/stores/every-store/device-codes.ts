import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clientItself } from 'nest-oauth2/server';

import { later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';

const ALICE = { id: 'alice' };

describe.each(await findStores())('a device code with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  async function begin() {
    const codes = { deviceCode: randomUUID(), userCode: randomUUID() };
    const requested = { scope: 'read', issuer: 'https://as.example', resource: ['https://a.example/'], interval: 5 };
    const begun = { ...codes, ...requested, expiresAt: later(900) };
    await opened.store.saveDeviceAuthorization(begun, WEB);
    return begun;
  }

  /** Runs the work many times concurrently in both processes. */
  const many = <T>(work: (store: OpenStore['store'], index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: 40 }, (_, index) => work(index % 2 ? opened.store : opened.another, index)));

  const tokenOf = (grantId: string | undefined) => ({
    accessToken: randomUUID(),
    accessTokenExpiresAt: later(60),
    scope: 'read',
    ...(grantId !== undefined && { grantId }),
  });

  it('a device code record is found by the device code and by the user code in every process', async () => {
    const { deviceCode, userCode, ...requested } = await begin();
    const found = await opened.another.getDeviceAuthorization(deviceCode);
    expect(found).toMatchObject({ ...requested, client: { id: WEB.id } });
    expect(await opened.another.getDeviceAuthorizationByUserCode(userCode)).toEqual(found);
    expect(found).not.toHaveProperty('user');
    for (const other of [deviceCode, deviceCode.toUpperCase(), '', 'constructor']) {
      expect(await opened.store.getDeviceAuthorizationByUserCode(other)).toBeUndefined();
      expect(await opened.store.getAuthorizationCode(other)).toBeUndefined();
      expect(await opened.store.getRefreshToken(other)).toBeUndefined();
    }
    expect(await opened.store.getDeviceAuthorization(userCode)).toBeUndefined();
  });

  it('a device code is approved or denied by only one of many concurrent decisions', async () => {
    const { deviceCode, userCode } = await begin();
    const found = (await opened.store.getDeviceAuthorizationByUserCode(userCode))!;
    const answers = await many((store, index) =>
      store.decideDeviceAuthorization(found, index % 3 ? { user: ALICE, scope: 'read' } : {}),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    const decided = (await opened.another.getDeviceAuthorization(deviceCode))!;
    const [isAllowed, isDenied] = [decided.user !== undefined, decided.isDenied === true];
    expect(isAllowed).toBe(!isDenied);
    expect(answers.indexOf(true) % 3 !== 0).toBe(isAllowed);
  });

  it('a device code can be approved while its polling interval increases', async () => {
    const { deviceCode, userCode } = await begin();
    const found = (await opened.store.getDeviceAuthorizationByUserCode(userCode))!;
    const [decided] = await Promise.all([
      opened.store.decideDeviceAuthorization(found, { user: ALICE, scope: 'read' }),
      ...Array.from({ length: 5 }, (_, index) => opened.another.slowDownDevice(found, 10 + 5 * index)),
    ]);
    expect(decided).toBe(true);
    expect(await opened.store.getDeviceAuthorization(deviceCode)).toMatchObject({ user: ALICE, scope: 'read' });
  });

  it('the polling interval of a device code increases for all processes, and never decreases', async () => {
    const { deviceCode } = await begin();
    const found = (await opened.store.getDeviceAuthorization(deviceCode))!;
    await opened.store.slowDownDevice(found, 10);
    await opened.another.slowDownDevice(found, 7);
    expect(await opened.another.getDeviceAuthorization(deviceCode)).toMatchObject({ interval: 10 });
  });

  it('a device code is redeemed by one of many concurrent requests, for tokens of the user who consented', async () => {
    const { deviceCode } = await begin();
    const pending = (await opened.store.getDeviceAuthorization(deviceCode))!;
    await opened.store.decideDeviceAuthorization(pending, { user: ALICE, scope: 'read' });
    const found = (await opened.another.getDeviceAuthorization(deviceCode))!;
    expect(await opened.store.listGrants(ALICE.id)).toEqual([]);
    const responses = await many((store) => store.redeemDeviceCode(found, tokenOf(found.grantId), WEB, ALICE));
    const won = responses.filter((answer) => answer !== undefined);
    expect(won).toHaveLength(1);
    expect(await opened.another.getAccessToken(won[0]!.accessToken)).toMatchObject({ user: ALICE, scope: 'read' });
    const used = (await opened.another.getDeviceAuthorization(deviceCode))!;
    expect([used.revokedAt instanceof Date, used.revokedAgo! < 60]).toEqual([true, true]);
    expect(await opened.store.decideDeviceAuthorization(used, {})).toBe(false);
    expect(await opened.store.revokeDeviceCode(used)).toBe(false);
    await opened.store.revokeGrantsOf({ userId: ALICE.id });
    expect(await opened.another.getAccessToken(won[0]!.accessToken)).toBeUndefined();
  });

  it('an undecided device code is deleted when all grants of its client are revoked', async () => {
    const { deviceCode, userCode } = await begin();
    await opened.store.revokeGrantsOf({ clientId: WEB.id });
    expect(await opened.another.getDeviceAuthorization(deviceCode)).toBeUndefined();
    expect(await opened.another.getDeviceAuthorizationByUserCode(userCode)).toBeUndefined();
  });

  it('a token exchanged for an access token is revoked with that token; one exchanged for a refresh token, with its grant', async () => {
    const own = { ...tokenOf(randomUUID()), refreshToken: randomUUID(), refreshTokenExpiresAt: later(60) };
    const subject = await opened.store.saveToken(own, WEB, clientItself(WEB));
    const [ends, stays] = [tokenOf(randomUUID()), tokenOf(randomUUID())];
    await opened.store.saveExchangedToken(subject, ends, WEB, clientItself(WEB));
    const { accessToken: _, ...refresh } = subject;
    await opened.another.saveExchangedToken(refresh as never, stays, WEB, clientItself(WEB));
    await opened.store.revokeToken({ refreshToken: own.refreshToken });
    expect(await opened.another.getAccessToken(ends.accessToken)).toBeTruthy();
    await opened.store.revokeAccessToken(subject);
    expect(await opened.another.getAccessToken(ends.accessToken)).toBeUndefined();
    expect(await opened.another.getAccessToken(stays.accessToken)).toBeTruthy();
    await opened.store.revokeGrant(own.grantId!);
    expect(await opened.another.getAccessToken(stays.accessToken)).toBeUndefined();
  });
});
