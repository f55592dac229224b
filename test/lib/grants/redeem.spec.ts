import { describe, expect, it } from '@jest/globals';
import type { Token, Unsaved } from 'nest-oauth2/server';

import { redeem, refresh } from '../../support/grants.js';
import { WEB } from '../../support/model.js';

const inOneStep = (_: unknown, token: Unsaved<Token>, client: object, user: object) => ({ ...token, client, user });
const fail = () => {
  throw new Error('out of order');
};

// Issue 10, 1.8
describe('what comes of a code or refresh token', () => {
  const SPENDERS = ['revokeAuthorizationCode', 'revokeToken', 'redeem', 'saveToken'];

  it.each([
    ['a code', redeem],
    ['a refresh token', refresh],
  ])('is saved in the step that spends %s, by a model that has that step', async (_, use) => {
    const { status, methods } = await use({}, {}, { redeem: inOneStep, revokeGrant: () => true });
    expect(status).toBe(200);
    expect(methods.filter((name) => SPENDERS.includes(name))).toEqual(['redeem']);
  });

  it('is told to the model with what was found, the client and the user', async () => {
    const { host } = await redeem({}, {}, { redeem: inOneStep });
    const [, spent, token, client, user] = host.calls.find(([name]) => name === 'redeem')!;
    expect(spent).toBe(host.codes.get('code'));
    expect(token).toMatchObject({ accessToken: expect.any(String), refreshToken: expect.any(String), scope: 'read' });
    expect([client, user]).toEqual([WEB, { id: 'alice' }]);
  });

  it.each([
    ['a code', redeem],
    ['a refresh token', refresh],
  ])('is refused to whoever lost the race for %s', async (_, use) => {
    const { body } = await use({}, {}, { redeem: () => false });
    expect(body).toMatchObject({ error: 'invalid_grant' });
  });

  it.each([
    ['a lifetime of the client that is none', { getClient: () => ({ ...WEB, accessTokenLifetime: -5 }) }],
    ['a lifetime of its refresh tokens that is none', { getClient: () => ({ ...WEB, refreshTokenLifetime: 'abc' }) }],
    ['a generator of access tokens that fails', { generateAccessToken: fail }],
    ['a generator of refresh tokens that fails', { generateRefreshToken: fail }],
    ['a scope that is not approved', { validateScope: () => false }],
  ])('that fails by %s leaves the code as it was', async (_, overrides) => {
    for (const more of [{}, { redeem: inOneStep }]) {
      const { status, spent, methods } = await redeem({}, {}, { ...overrides, ...more });
      expect(status).toBeGreaterThanOrEqual(400);
      expect([spent, methods.some((name) => SPENDERS.includes(name))]).toEqual([false, false]);
    }
  });

  it.each([
    ['a lifetime of the client that is none', { getClient: () => ({ ...WEB, accessTokenLifetime: -5 }) }],
    ['a generator that fails', { generateRefreshToken: fail }],
  ])('that fails by %s leaves the refresh token as it was', async (_, overrides) => {
    const { status, spent, methods } = await refresh({}, {}, overrides);
    expect(status).toBeGreaterThanOrEqual(400);
    expect([spent, methods.some((name) => SPENDERS.includes(name))]).toEqual([false, false]);
  });

  it('is not made at all for a code that is brought without its proof', async () => {
    const overrides = { redeem: inOneStep, generateAccessToken: fail };
    const { body, methods } = await redeem({ redirect_uri: 'https://app.example/other?x=1' }, {}, overrides);
    expect(body).toMatchObject({ error: 'invalid_grant' });
    expect(methods.filter((name) => SPENDERS.includes(name))).toEqual(['revokeAuthorizationCode']);
  });
});

// Issue 10, 1.1
describe('a retry with a refresh token', () => {
  it.each([
    ['in the future, by the clock of this process', -5000, 0],
    ['in the future, though a retry were allowed', -5000, 60],
    ['this very moment, where nobody may try again', 0, 0],
  ])('is a replay when it was spent %s', async (_, ago, refreshTokenReuseInterval) => {
    const ended: unknown[] = [];
    const overrides = { redeem: inOneStep, revokeGrant: (id: string) => ended.push(id) };
    const token = { grantId: 'family', revokedAt: new Date(Date.now() - ago), successor: 'sealed' };
    const { body } = await refresh({}, token, overrides, { refreshTokenReuseInterval });
    expect(body).toMatchObject({ error: 'invalid_grant' });
    expect(ended).toEqual(['family']);
  });

  it('finds its answer sealed under nothing but the token itself', async () => {
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

  it('costs nothing where nobody may try again', async () => {
    const { host } = await refresh({}, {}, { redeem: inOneStep, revokeGrant: () => true });
    const [, , token] = host.calls.find(([name]) => name === 'redeem')!;
    expect(token).not.toHaveProperty('successor');
  });
});
