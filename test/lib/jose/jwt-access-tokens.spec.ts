import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, it, jest } from '@jest/globals';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { introspection, resourceIndicators, revocation, type Feature } from 'nest-oauth2/features';
import { JwtTokens, type JwtAccessTokensOptions, type JwkSet, jwtAccessTokens, keys } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { runOperation, basic, CHALLENGE, FORM, resourceRequest, VERIFIER } from '../../support/clients/requests.js';

const ISSUER = 'https://id.example.com';
const NOTES = 'https://notes.example.com';
const FILES = 'https://files.example.com';
const SECRET = 'secret-of-the-client-web';
const CALLBACK = 'https://app.example/cb';
const from = [{ ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), kid: 'k' }];

interface Setup extends JwtAccessTokensOptions {
  model?: object;
  more?: readonly Feature[];
}

async function setUp({ model = {}, more = [], ...given }: Setup = {}) {
  const alice = { id: 'alice' };
  const users = { findById: (id: string) => (id === 'alice' ? alice : undefined), findByCredentials: () => undefined };
  const store = new MemoryStore({ clients: [], users });
  const grants = ['authorization_code', 'refresh_token', 'client_credentials', 'implicit'];
  const resources = [NOTES, FILES];
  await store.saveClient({
    id: 'web',
    secret: SECRET,
    grants,
    redirectUris: [CALLBACK],
    scopes: ['read', 'write'],
    resources,
  });
  const features = [keys({ from }), jwtAccessTokens(given), revocation(), introspection(), ...more];
  const server = new OAuth2Server({ model: Object.assign(store, model), issuer: ISSUER, features });
  const post = async (endpoint: string, body: object) => {
    const response = new Response();
    const headers = { ...FORM, authorization: basic('web', SECRET) };
    const request = new Request({ method: 'POST', headers, query: {}, body });
    const call = endpoint === 'token' ? server.token(request, response) : server.handle(endpoint, request, response);
    await call.catch(() => undefined);
    return response.body as Record<string, string>;
  };
  const code = async (query: object = {}) => {
    const response = new Response();
    const requested = {
      response_type: 'code',
      client_id: 'web',
      redirect_uri: CALLBACK,
      state: 'xyz',
      scope: 'read write',
    };
    const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const request = new Request({
      method: 'GET',
      headers: {},
      query: { ...requested, ...challenge, ...query },
      body: {},
    });
    await server.authorize(request, response, { authenticateHandler: { handle: () => alice } });
    return new URL(String(response.headers['location']));
  };
  const redeem = async (query: object = {}, body: object = {}) => {
    const parameters = {
      code: (await code(query)).searchParams.get('code'),
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
    };
    return await post('token', { grant_type: 'authorization_code', ...parameters, ...body });
  };
  const response = new Response();
  await server.handle('jwks', new Request({ method: 'GET', headers: {}, query: {} }), response);
  return { server, store, post, code, redeem, jwks: response.body as unknown as JwkSet };
}

const credentials = { grant_type: 'client_credentials', scope: 'read' };

describe('a JWT access token (RFC 9068)', () => {
  it('contains the required claims, and can be verified with the published keys', async () => {
    const { redeem, jwks } = await setUp();
    const { access_token: token, expires_in: lifetime } = await redeem();
    expect(decodeProtectedHeader(token!)).toEqual({ alg: 'ES256', kid: 'k', typ: 'at+jwt' });
    const { payload } = await jwtVerify(token!, createLocalJWKSet(jwks as never), { issuer: ISSUER, audience: ISSUER });
    expect(payload).toEqual({
      iss: ISSUER,
      sub: 'alice',
      aud: ISSUER,
      client_id: 'web',
      exp: expect.any(Number),
      iat: expect.any(Number),
      jti: expect.stringMatching(/^[\da-f]{32}$/),
      scope: 'read write',
    });
    expect(Math.abs(payload.exp! - payload.iat! - Number(lifetime))).toBeLessThanOrEqual(1);
  });

  it('is accepted by a separate resource server and by the server that issued it', async () => {
    const { redeem, jwks, server } = await setUp({ audience: NOTES });
    const { access_token: token } = await redeem();
    const api = new OAuth2Server({ model: new JwtTokens({ issuer: ISSUER, audience: NOTES, jwks }) });
    for (const one of [api, server]) {
      const { status, result } = await runOperation(one, 'authenticate', resourceRequest(`Bearer ${token}`), {
        scope: 'write',
      });
      expect({ status, user: result?.['user'] }).toMatchObject({ status: 200, user: { id: 'alice' } });
    }
  });

  it('has the client as subject for client credentials', async () => {
    const { post } = await setUp();
    expect(decodeJwt((await post('token', credentials)).access_token!)).toMatchObject({ sub: 'web', client_id: 'web' });
  });

  it('has the requested resources as audience', async () => {
    const { redeem } = await setUp({ more: [resourceIndicators({ resources: [NOTES, FILES] })] });
    const one = await redeem({ resource: NOTES });
    expect(decodeJwt(one.access_token!).aud).toBe(NOTES);
    const two = await redeem({ resource: [NOTES, FILES] });
    expect(decodeJwt(two.access_token!).aud).toEqual([NOTES, FILES]);
    const narrowed = await redeem({ resource: [NOTES, FILES] }, { resource: FILES });
    expect(decodeJwt(narrowed.access_token!).aud).toBe(FILES);
  });

  it('is issued for the resources in the option `resources` only; other tokens are opaque', async () => {
    const { redeem, post } = await setUp({
      more: [resourceIndicators({ resources: [NOTES, FILES] })],
      resources: [NOTES],
    });
    expect(decodeJwt((await redeem({ resource: NOTES })).access_token!).aud).toBe(NOTES);
    const { access_token: opaque } = await redeem({ resource: FILES });
    expect(opaque).toMatch(/^[\da-f]{64}$/);
    expect(await post('introspection', { token: opaque })).not.toHaveProperty('jti');
    expect((await redeem({ resource: [NOTES, FILES] })).access_token).toMatch(/^[\da-f]{64}$/);
  });

  it('has a new `jti` after a refresh', async () => {
    const { redeem, post } = await setUp();
    const first = await redeem();
    const second = await post('token', { grant_type: 'refresh_token', refresh_token: first.refresh_token });
    expect(first.refresh_token).toMatch(/^[\da-f]{64}$/);
    expect(decodeJwt(second.access_token!)).toMatchObject({ sub: 'alice', scope: 'read write' });
    expect(decodeJwt(second.access_token!).jti).not.toBe(decodeJwt(first.access_token!).jti);
  });

  it('is also issued by the authorization endpoint for response_type=token', async () => {
    const { code } = await setUp();
    const { hash } = await code({ response_type: 'token' });
    expect(decodeJwt(new URLSearchParams(hash.slice(1)).get('access_token')!)).toMatchObject({ sub: 'alice' });
  });

  it('can be introspected and revoked', async () => {
    const { redeem, post, server } = await setUp();
    const { access_token: token } = await redeem();
    const { jti, aud: _, ...claims } = decodeJwt(token!);
    expect(await post('introspection', { token })).toMatchObject({ active: true, ...claims, jti });
    await post('revocation', { token });
    expect(await post('introspection', { token })).toEqual({ active: false });
    expect(await runOperation(server, 'authenticate', resourceRequest(`Bearer ${token}`))).toMatchObject({
      status: 401,
    });
  });

  it('has the time of issue that introspection reports, also if issuing it takes a second', async () => {
    const { redeem, post } = await setUp();
    const now = Date.now.bind(Date);
    let delay = 0;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + (delay += 700));
    const { access_token: token } = await redeem();
    clock.mockRestore();
    expect(await post('introspection', { token })).toMatchObject({ active: true, iat: decodeJwt(token!).iat });
  });

  it('contains claims of getAccessTokenClaims(), which cannot replace claims of the server', async () => {
    const getAccessTokenClaims = jest.fn(async (token: object, client: object, user: object) => ({
      reported: [token, client, user].length,
      roles: ['admin'],
      sub: 'root',
      iss: 'https://evil',
      exp: 9e9,
      nbf: 9e9,
      scope: 'all',
    }));
    const { redeem } = await setUp({ model: { getAccessTokenClaims } });
    const claims = decodeJwt((await redeem()).access_token!);
    expect(claims).toMatchObject({ roles: ['admin'], sub: 'alice', iss: ISSUER, scope: 'read write' });
    expect(claims.exp).toBeLessThan(9e9);
    expect(claims).not.toHaveProperty('nbf');
    expect(getAccessTokenClaims).toHaveBeenCalledWith(
      expect.objectContaining({ scope: 'read write' }),
      expect.objectContaining({ id: 'web' }),
      expect.objectContaining({ id: 'alice' }),
    );
  });

  it('contains claims that other features describe', async () => {
    const badge: Feature = {
      id: 'badge',
      install: () => ({
        token: {
          issue: ({ tokenMembers: token }) => void (token['badge'] = 7),
          describe: ({ badge: one }) => ({ badge: one }),
        },
      }),
    };
    const { redeem } = await setUp({ more: [badge] });
    expect(decodeJwt((await redeem()).access_token!)).toMatchObject({ badge: 7 });
  });

  it('leaves the code valid if it cannot be signed', async () => {
    const failing = jest.fn<() => Promise<Uint8Array>>().mockRejectedValue(new Error('the KMS is down'));
    const { d: _, kid, ...publicKey } = from[0] as Record<string, string>;
    const down = keys({ from: [{ alg: 'ES256', kid: kid!, publicKey, sign: failing }] });
    const { store, code, post } = await setUp();
    const at = { code: (await code()).searchParams.get('code'), redirect_uri: CALLBACK, code_verifier: VERIFIER };
    const broken = new OAuth2Server({ model: store as never, issuer: ISSUER, features: [down, jwtAccessTokens()] });
    const headers = { ...FORM, authorization: basic('web', SECRET) };
    const body = { grant_type: 'authorization_code', ...at };
    const response = new Response();
    await broken.token(new Request({ method: 'POST', headers, query: {}, body }), response).catch(() => undefined);
    expect(response).toMatchObject({ status: 503, body: { error: 'server_error' } });
    expect(JSON.stringify(response.body)).not.toContain('KMS');
    expect(await post('token', body)).toHaveProperty('access_token');
  });
});

describe('jwtAccessTokens()', () => {
  const serverOf = (features: readonly Feature[], named: object = { issuer: ISSUER }) =>
    new OAuth2Server({
      model: new MemoryStore({ clients: [], users: { findById: () => undefined } }),
      ...named,
      features,
    });

  it.each<[string, () => unknown, RegExp]>([
    ['a server without keys', () => serverOf([jwtAccessTokens()]), /Add `keys\(\)` to the `features`/],
    [
      'a server without an issuer',
      () => serverOf([keys({ from }), jwtAccessTokens()], {}),
      /requires the option `issuer`/,
    ],
    [
      'an algorithm without a key',
      () => serverOf([keys({ from }), jwtAccessTokens({ alg: 'RS256' })]),
      /no key in `keys\(\)` supports `alg: 'RS256'`/,
    ],
    [
      'the algorithm none',
      () => serverOf([keys({ from }), jwtAccessTokens({ alg: 'none' as never })]),
      /must be one of/,
    ],
    [
      'an empty list of resources',
      () => serverOf([keys({ from }), jwtAccessTokens({ resources: [] })]),
      /must be a non-empty list/,
    ],
    [
      'a misspelled option',
      () => serverOf([keys({ from }), jwtAccessTokens({ aud: 'x' } as never)]),
      /unknown option `aud`/,
    ],
    [
      'a second token format',
      () =>
        serverOf([keys({ from }), jwtAccessTokens(), { id: 'own', install: () => ({ token: { format: () => 'x' } }) }]),
      /both write access tokens/,
    ],
  ])('rejects at start-up %s', (_, make, sentence) => {
    expect(make).toThrow(sentence);
  });
});
