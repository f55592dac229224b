import { beforeEach, describe, expect, it } from '@jest/globals';
import { OAuth2Server, type Token, type Unsaved } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { CODE, redeem, refresh } from '../../support/models/grants.js';
import { addCode, ALICE, CALLBACK, createTestModel, OTHER_CALLBACK, SECRET, WEB } from '../../support/models/model.js';
import {
  authorizeRequest,
  basic,
  CHALLENGE,
  FORM,
  runOperation,
  signedIn,
  summary,
  tokenRequest,
  VERIFIER,
} from '../../support/clients/requests.js';

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
    const [, used, token, client, user] = testModel.calls.find(([name]) => name === 'redeem')!;
    expect(used).toBe(testModel.codes.get('code'));
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
    const token = { grantId: 'family', revokedAt: new Date(Date.now() - ago), rotatedToken: 'sealed' };
    const { body } = await refresh({}, token, overrides, { refreshTokenReuseInterval });
    expect(body).toMatchObject({ error: 'invalid_grant' });
    expect(ended).toEqual(['family']);
  });

  it('relies on a stored copy of the response, which is encrypted and contains no token in clear text', async () => {
    let sealed = '';
    const overrides = {
      revokeGrant: () => true,
      redeem: (_: unknown, token: Unsaved<Token>, client: object, user: object) => {
        sealed = String(token['rotatedToken']);
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
    expect(token).not.toHaveProperty('rotatedToken');
  });
});

const OTHER = { ...WEB, id: 'other', secret: 'another' };
const users = { findByCredentials: () => ALICE, findById: () => ALICE };

/** How a request presents the code. */
interface Attempt {
  body?: object;
  as?: { id: string; secret: string };
  /** How many seconds later the code is presented. */
  later?: number;
}

describe('an authorization code presented with wrong or missing parameters', () => {
  let store: MemoryStore;
  let server: OAuth2Server;
  let code: string;

  beforeEach(async () => {
    const clients = [{ ...WEB, secret: SECRET, scopes: ['read'] }, OTHER];
    store = new MemoryStore({ clients, users });
    server = new OAuth2Server({ model: store });
    const requested = authorizeRequest({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
    const { redirected } = await runOperation(server, 'authorize', requested, signedIn);
    code = String(redirected['code']);
  });

  async function bring({ body, as, later = 0 }: Attempt = {}) {
    const whole = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER, ...body };
    const given = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
    const headers = as && { headers: { ...FORM, authorization: basic(as.id, as.secret) } };
    const now = Date.now;
    Date.now = () => now() + later * 1000;
    try {
      const { body: said } = await runOperation(server, 'token', tokenRequest(given, headers));
      return said as Record<string, string>;
    } finally {
      Date.now = now;
    }
  }
  const isAlive = async (token: string | undefined) => (await store.getAccessToken(token!)) !== undefined;

  const WITHOUT_PROOF: [string, Attempt][] = [
    ['no code_verifier', { body: { code_verifier: undefined } }],
    ['a wrong code_verifier', { body: { code_verifier: 'x'.repeat(43) } }],
    ['a malformed code_verifier', { body: { code_verifier: 'short' } }],
    ['no redirect_uri', { body: { redirect_uri: undefined } }],
    ['a wrong redirect_uri', { body: { redirect_uri: OTHER_CALLBACK } }],
    ['the credentials of another client', { as: OTHER }],
    ['an expired code', { later: 301 }],
  ];

  it.each(WITHOUT_PROOF)('does not revoke the tokens of a used code if the replay has %s', async (_, attempt) => {
    const { access_token, refresh_token } = await bring();
    expect(await bring(attempt)).toHaveProperty('error');
    expect(await isAlive(access_token)).toBe(true);
    const refreshed = await runOperation(server, 'token', tokenRequest({ grant_type: 'refresh_token', refresh_token }));
    expect(refreshed.status).toBe(200);
  });

  it('revokes the token family of a used code if the replay has the correct parameters', async () => {
    const { access_token } = await bring();
    expect(await bring()).toMatchObject({ error: 'invalid_grant' });
    expect(await isAlive(access_token)).toBe(false);
  });

  it.each(WITHOUT_PROOF.slice(0, 5))('is consumed on its first use with %s', async (_, attempt) => {
    expect(await bring(attempt)).toHaveProperty('error');
    expect(await bring()).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('redirect_uri of a token request with an authorization code', () => {
  const MISMATCH = '400 invalid_grant: Invalid grant: `redirect_uri` is invalid';

  it.each([
    ['omitted', { redirect_uri: undefined }],
    ['empty', { redirect_uri: '' }],
    ['another registered URI', { redirect_uri: OTHER_CALLBACK }],
    ['a URI with a longer path', { redirect_uri: `${CALLBACK}/` }],
    ['not a URI', { redirect_uri: 'nowhere' }],
  ])('causes invalid_grant and consumes the code if it is %s', async (_, body) => {
    const { error, consumed, methods } = await redeem(body);
    expect([summary(error), consumed, methods.includes('saveToken')]).toEqual([MISMATCH, true, false]);
  });

  it('is rejected if it is repeated', async () => {
    const { error } = await redeem({ redirect_uri: [CALLBACK, CALLBACK] });
    expect(summary(error)).toBe('400 invalid_request: Repeated parameter: `redirect_uri`');
  });

  it('must match exactly, including the port of a loopback address', async () => {
    const { error } = await redeem({ redirect_uri: 'http://127.0.0.1:2/cb' }, { redirectUri: 'http://127.0.0.1:1/cb' });
    expect(summary(error)).toBe(MISMATCH);
  });

  it('is accepted in the query as well as in the form', async () => {
    const testModel = createTestModel();
    addCode(testModel);
    const request = tokenRequest({ ...CODE, redirect_uri: undefined }, { query: { redirect_uri: CALLBACK } });
    expect((await runOperation(testModel, 'token', request)).status).toBe(200);
  });

  it.each([[undefined], [null]])(
    'can be omitted or be the first registered URI if the saved code has the redirectUri %j',
    async (redirectUri) => {
      expect((await redeem({ redirect_uri: undefined }, { redirectUri })).status).toBe(200);
      expect((await redeem({}, { redirectUri })).status).toBe(200);
      expect(summary((await redeem({ redirect_uri: OTHER_CALLBACK }, { redirectUri })).error)).toBe(MISMATCH);
      expect(summary((await redeem({ redirect_uri: 'https://evil.example/' }, { redirectUri })).error)).toBe(MISMATCH);
    },
  );
});
