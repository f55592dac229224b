import { describe, expect, it } from '@jest/globals';
import type { Token, Unsaved } from 'nest-oauth2/server';

import { redeem, refresh } from '../../support/grants.js';
import { WEB } from '../../support/model.js';

const inOneStep = (_: unknown, token: Unsaved<Token>, client: object, user: object) => ({ ...token, client, user });
const fail = () => {
  throw new Error('out of order');
};

describe('the token issued for an authorization code or a refresh token', () => {
  const SPENDERS = ['revokeAuthorizationCode', 'revokeToken', 'redeem', 'saveToken'];

  it.each([
    ['an authorization code', redeem],
    ['a refresh token', refresh],
  ])('is saved by model.redeem(), if implemented, in the same call that consumes %s', async (_, use) => {
    const { status, methods } = await use({}, {}, { redeem: inOneStep, revokeGrant: () => true });
    expect(status).toBe(200);
    expect(methods.filter((name) => SPENDERS.includes(name))).toEqual(['redeem']);
  });

  it('is passed to model.redeem() with the stored code, the client and the user', async () => {
    const { testModel } = await redeem({}, {}, { redeem: inOneStep });
    const [, spent, token, client, user] = testModel.calls.find(([name]) => name === 'redeem')!;
    expect(spent).toBe(testModel.codes.get('code'));
    expect(token).toMatchObject({ accessToken: expect.any(String), refreshToken: expect.any(String), scope: 'read' });
    expect([client, user]).toEqual([WEB, { id: 'alice' }]);
  });

  it.each([
    ['an authorization code', redeem],
    ['a refresh token', refresh],
  ])('is refused if model.redeem() returns false because another request consumed %s', async (_, use) => {
    const { body } = await use({}, {}, { redeem: () => false });
    expect(body).toMatchObject({ error: 'invalid_grant' });
  });

  it.each([
    ['an invalid access token lifetime of the client', { getClient: () => ({ ...WEB, accessTokenLifetime: -5 }) }],
    ['an invalid refresh token lifetime of the client', { getClient: () => ({ ...WEB, refreshTokenLifetime: 'abc' }) }],
    ['a failing generator of access tokens', { generateAccessToken: fail }],
    ['a failing generator of refresh tokens', { generateRefreshToken: fail }],
    ['a scope that the model refuses', { validateScope: () => false }],
  ])('leaves the authorization code unconsumed if it cannot be issued because of %s', async (_, overrides) => {
    for (const more of [{}, { redeem: inOneStep }]) {
      const { status, consumed, methods } = await redeem({}, {}, { ...overrides, ...more });
      expect(status).toBeGreaterThanOrEqual(400);
      expect([consumed, methods.some((name) => SPENDERS.includes(name))]).toEqual([false, false]);
    }
  });

  it.each([
    ['an invalid access token lifetime of the client', { getClient: () => ({ ...WEB, accessTokenLifetime: -5 }) }],
    ['a failing generator of refresh tokens', { generateRefreshToken: fail }],
  ])('leaves the refresh token unconsumed if it cannot be issued because of %s', async (_, overrides) => {
    const { status, consumed, methods } = await refresh({}, {}, overrides);
    expect(status).toBeGreaterThanOrEqual(400);
    expect([consumed, methods.some((name) => SPENDERS.includes(name))]).toEqual([false, false]);
  });

  it('is not generated for a code with the wrong redirect_uri, which revokes the code', async () => {
    const overrides = { redeem: inOneStep, generateAccessToken: fail };
    const { body, methods } = await redeem({ redirect_uri: 'https://app.example/other?x=1' }, {}, overrides);
    expect(body).toMatchObject({ error: 'invalid_grant' });
    expect(methods.filter((name) => SPENDERS.includes(name))).toEqual(['revokeAuthorizationCode']);
  });
});

describe('a retry with a used refresh token', () => {
  it.each([
    ['in the future and no `refreshTokenReuseInterval` is set', -5000, 0],
    ['in the future and `refreshTokenReuseInterval` is 60', -5000, 60],
    ['now and no `refreshTokenReuseInterval` is set', 0, 0],
  ])('is treated as a replay if the token was used %s', async (_, ago, refreshTokenReuseInterval) => {
    const ended: unknown[] = [];
    const overrides = { redeem: inOneStep, revokeGrant: (id: string) => ended.push(id) };
    const token = { grantId: 'family', revokedAt: new Date(Date.now() - ago), successor: 'sealed' };
    const { body } = await refresh({}, token, overrides, { refreshTokenReuseInterval });
    expect(body).toMatchObject({ error: 'invalid_grant' });
    expect(ended).toEqual(['family']);
  });

  it('relies on a stored copy of the response, which is encrypted and contains no token in clear text', async () => {
    let sealed = '';
    const overrides = {
      revokeGrant: () => true,
      redeem: (_: unknown, token: Unsaved<Token>, client: object, user: object) => {
        sealed = String(token['successor']);
        return { ...token, client, user };
      },
    };
    const { body } = await refresh({}, { grantId: 'family' }, overrides, { refreshTokenReuseInterval: 10 });
    const clear = Buffer.from(sealed, 'base64url').toString('latin1');
    expect(sealed.length).toBeGreaterThan(100);
    for (const secret of [body['access_token'], body['refresh_token'], 'refresh']) expect(clear).not.toContain(secret);
  });

  it('has no copy of the response stored for it if no `refreshTokenReuseInterval` is set', async () => {
    const { testModel } = await refresh({}, {}, { redeem: inOneStep, revokeGrant: () => true });
    const [, , token] = testModel.calls.find(([name]) => name === 'redeem')!;
    expect(token).not.toHaveProperty('successor');
  });
});
