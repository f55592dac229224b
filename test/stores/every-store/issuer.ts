import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ALICE, later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';

const [ONE, OTHER] = ['https://one.example', `https://other.example/${'a long path/'.repeat(40)}`];

describe.each(await findStores())('the issuer of stored grants with a store in $name', ({ open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const save = (more: object = {}, user: object = ALICE) => {
    const token = { accessToken: randomUUID(), accessTokenExpiresAt: later(), scope: 'read', grantId: randomUUID() };
    return opened.store.saveToken(
      { ...token, refreshToken: randomUUID(), refreshTokenExpiresAt: later(), ...more },
      WEB,
      user,
    );
  };

  it.each([ONE, OTHER])(
    'the issuer of a grant is returned with codes and tokens, also after they were redeemed',
    async (issuer) => {
      const { store, another } = opened;
      const code = {
        authorizationCode: randomUUID(),
        expiresAt: later(),
        grantId: randomUUID(),
        issuer,
        cnf: { jkt: 'x' },
      };
      await store.saveAuthorizationCode(code, WEB, ALICE);
      const { accessToken, refreshToken, grantId } = await save({ issuer });
      expect(await another.getAccessToken(accessToken)).toMatchObject({ issuer });
      expect(await another.getRefreshToken(refreshToken!)).toMatchObject({ issuer });
      const found = (await another.getAuthorizationCode(code.authorizationCode))!;
      expect(found).toMatchObject({ issuer, cnf: { jkt: 'x' } });
      const next = { accessToken: randomUUID(), accessTokenExpiresAt: later(), grantId: code.grantId, issuer };
      expect(await store.redeem(found, next, WEB, ALICE)).toMatchObject({ issuer });
      expect(await another.getAccessToken(next.accessToken)).toMatchObject({ issuer });
      await store.redeem(
        { ...(await store.getRefreshToken(refreshToken!))! },
        { ...next, accessToken: randomUUID(), grantId: grantId! },
        WEB,
        ALICE,
      );
      for (const used of [
        await another.getAuthorizationCode(code.authorizationCode),
        await another.getRefreshToken(refreshToken!),
      ]) {
        expect(used).toMatchObject({ issuer, revokedAt: expect.any(Date) });
      }
    },
  );

  it('the property `issuer` of tokens is omitted if they were saved without an issuer', async () => {
    const { accessToken, refreshToken } = await save();
    const found = [
      await opened.another.getAccessToken(accessToken),
      await opened.another.getRefreshToken(refreshToken!),
    ];
    expect(found.map((token) => token && 'issuer' in token)).toEqual([false, false]);
  });

  it('grants of a user can be listed and revoked by issuer', async () => {
    const user = { id: `owner ${randomUUID()}` };
    const [ofOne, ofOther, ofNobody] = [
      await save({ issuer: ONE }, user),
      await save({ issuer: OTHER }, user),
      await save({}, user),
    ];
    const listed = await opened.another.listGrants(user.id);
    expect(new Map(listed.map(({ id, issuer }) => [id, issuer]))).toEqual(
      new Map([
        [ofOne.grantId, ONE],
        [ofOther.grantId, OTHER],
        [ofNobody.grantId, undefined],
      ]),
    );
    expect(await opened.store.revokeGrantsOf({ userId: user.id, issuer: 'https://no.example' })).toBe(0);
    expect(await opened.store.revokeGrantsOf({ userId: user.id, issuer: ONE })).toBe(1);
    expect(await opened.another.getAccessToken(ofOne.accessToken)).toBeUndefined();
    expect(await opened.another.getAccessToken(ofOther.accessToken)).toBeDefined();
    expect(await opened.store.revokeGrantsOf({ grantId: ofOther.grantId!, issuer: ONE })).toBe(0);
    expect(await opened.store.revokeGrantsOf({ grantId: ofOther.grantId!, issuer: OTHER })).toBe(1);
    expect((await opened.another.listGrants(user.id)).map(({ id }) => id)).toEqual([ofNobody.grantId]);
  });

  it('revoking the grants of a client at one issuer leaves its grants at other issuers valid', async () => {
    await opened.store.revokeGrantsOf({ clientId: 'web' });
    const [first, second, other] = [
      await save({ issuer: ONE }),
      await save({ issuer: ONE }),
      await save({ issuer: OTHER }),
    ];
    expect(await opened.store.revokeGrantsOf({ clientId: 'web', issuer: ONE })).toBe(2);
    const found = await Promise.all(
      [first, second, other].map(({ accessToken }) => opened.another.getAccessToken(accessToken)),
    );
    expect(found.map(Boolean)).toEqual([false, false, true]);
  });

  it('an issuer cannot be the only filter of a revocation of grants', async () => {
    const { accessToken } = await save({ issuer: ONE });
    await expect(opened.store.revokeGrantsOf({ issuer: ONE })).rejects.toThrow(/besides `issuer`, set `userId`/);
    await expect(opened.store.revokeGrantsOf({ userId: 'alice', issuer: undefined })).rejects.toThrow(
      /may be empty or `undefined`/,
    );
    expect(await opened.another.getAccessToken(accessToken)).toBeDefined();
  });

  it('revoking a single access token needs no issuer, and affects no other token', async () => {
    const grantId = randomUUID();
    const [token, sibling] = [await save({ issuer: ONE, grantId }), await save({ grantId })];
    expect(await opened.another.revokeAccessToken(token)).toBe(true);
    expect(await opened.store.revokeAccessToken(token)).toBe(false);
    expect(await opened.store.getAccessToken(token.accessToken)).toBeUndefined();
    expect(await opened.another.getAccessToken(token.accessToken)).toBeUndefined();
    expect(await opened.another.getRefreshToken(token.refreshToken!)).toMatchObject({ issuer: ONE });
    expect(await opened.another.getAccessToken(sibling.accessToken)).toBeDefined();
    expect(await opened.store.revokeAccessToken({ accessToken: 'no such token' })).toBe(false);
  });
});
