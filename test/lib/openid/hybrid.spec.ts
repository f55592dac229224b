import { createHash } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { registration, resourceIndicators, serverMetadata } from 'nest-oauth2/features';
import { dpop, jarm, jwtAccessTokens } from 'nest-oauth2/jose';
import { Request } from 'nest-oauth2/server';
import * as oauth from 'oauth4webapi';

import { ALICE, CALLBACK, ISSUER, openIdServer } from '../../support/servers/openid-server.js';

// OpenID Connect Core §3.3: a code with an access token. `oauth4webapi` validates the responses that it supports.

const ALL = 'code id_token token';
const responseTypes = [ALL, 'code token'] as const;
const nonce = 'n-0S6_WzA2Mj';
const half = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
const setUp = (given: object = {}) => openIdServer({ responseTypes, ...given });
type Server = Awaited<ReturnType<typeof setUp>>;

/** Validates a response with oauth4webapi, a certified client library. */
async function judged({ jwks }: Server, parameters: Record<string, string>) {
  const as: oauth.AuthorizationServer = { issuer: ISSUER, jwks_uri: `${ISSUER}/oauth/jwks` };
  const answer = new URLSearchParams(parameters);
  const options = { [oauth.customFetch]: async () => Response.json(jwks) };
  const client = { client_id: 'web' };
  if (!answer.has('id_token')) return oauth.validateAuthResponse(as, client, answer, 'xyz');
  return await oauth.validateCodeIdTokenResponse(as, client, answer, nonce, 'xyz', undefined, options);
}

const userinfo = async ({ send }: Server, token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  return await send('userinfo', new Request({ method: 'GET', headers, query: {} }));
};

describe('a hybrid response with a code and an access token', () => {
  it('contains an ID token with c_hash and at_hash, and a code for other tokens of the same user', async () => {
    const one = await setUp();
    const { location, parameters } = await one.authorize({ response_type: ALL, nonce, scope: 'openid email' });
    expect(new URL(location).search).toBe('');
    const names = ['access_token', 'code', 'expires_in', 'id_token', 'iss', 'scope', 'state', 'token_type'];
    expect(Object.keys(parameters).toSorted()).toEqual(names);
    expect(parameters).toMatchObject({
      token_type: 'Bearer',
      scope: 'openid email',
      expires_in: expect.stringMatching(/^3[56]\d\d$/),
    });
    expect((await judged(one, parameters)).get('code')).toBe(parameters['code']);
    const { code, access_token } = parameters as Record<'code' | 'access_token', string>;
    const { payload } = await one.verifyIdToken(parameters['id_token']);
    expect(payload).toMatchObject({ sub: 'alice', nonce, c_hash: half(code), at_hash: half(access_token) });
    // The userinfo endpoint returns these claims for the access token.
    expect(payload).not.toHaveProperty('email');
    expect((await userinfo(one, access_token)).body).toMatchObject({ sub: 'alice', email: ALICE.email });

    const { body } = await one.redeem(code);
    const later = decodeJwt(body.id_token);
    expect(later).toMatchObject({ iss: payload.iss, sub: payload.sub, nonce, at_hash: half(body.access_token) });
    expect(later).not.toHaveProperty('c_hash');
    expect(body).toHaveProperty('refresh_token');
    expect(body.access_token).not.toBe(access_token);
    for (const token of [access_token, body.access_token]) expect((await userinfo(one, token)).status).toBe(200);
  });

  it('contains no ID token for `code token`; the token endpoint returns one with the requested `nonce`, if any', async () => {
    const one = await setUp();
    for (const more of [{ nonce: undefined }, { nonce }]) {
      const { location, parameters } = await one.authorize({ response_type: 'token code', ...more });
      expect(new URL(location).search).toBe('');
      const names = ['access_token', 'code', 'expires_in', 'iss', 'scope', 'state', 'token_type'];
      expect(Object.keys(parameters).toSorted()).toEqual(names);
      expect((await judged(one, parameters)).get('code')).toBe(parameters['code']);
      const { body } = await one.redeem(parameters['code']);
      const { nonce: said, ...later } = decodeJwt(body.id_token);
      expect(later).toMatchObject({ sub: 'alice', at_hash: half(body.access_token) });
      expect(said).toBe(more.nonce);
    }
  });

  it('is detected as forged if the code or the access token of another response is inserted', async () => {
    const one = await setUp();
    const own = (await one.authorize({ response_type: ALL, nonce })).parameters;
    const { parameters: other } = await one.authorize({ response_type: ALL, nonce }, { id: 'mallory' });
    const put = (name: string) => ({ ...own, [name]: other[name]! });
    await expect(judged(one, put('code'))).rejects.toThrow(/c_hash/);
    await expect(judged(one, put('id_token'))).rejects.toThrow(/c_hash/);
    const { payload } = await one.verifyIdToken(own['id_token']);
    expect(payload['at_hash']).toBe(half(own['access_token']!));
    expect(payload['at_hash']).not.toBe(half(other['access_token']!));
  });

  it.each(responseTypes)('has all its tokens revoked if the code is replayed: %s', async (response_type) => {
    const one = await setUp();
    const { parameters } = await one.authorize({ response_type, nonce });
    const untouched = await one.authorize({ response_type, nonce });
    const { body } = await one.redeem(parameters['code']);
    expect((await one.redeem(parameters['code'])).body).toMatchObject({ error: 'invalid_grant' });
    for (const token of [parameters['access_token']!, body.access_token]) {
      expect((await userinfo(one, token)).status).toBe(401);
    }
    expect((await userinfo(one, untouched.parameters['access_token']!)).status).toBe(200);
  });

  it('causes events for code and token with the same grant ID', async () => {
    const events: [string, Record<string, unknown>][] = [];
    const sink = { emit: (name: string, payload: object) => events.push([name, { ...payload }]) };
    const { authorize } = await setUp({ options: { events: sink } });
    await authorize({ response_type: 'code token' });
    expect(events.map(([name]) => name)).toEqual(['authorization.granted', 'token.issued', 'code.issued']);
    expect(new Set(events.map(([, { grantId }]) => grantId)).size).toBe(1);
    expect(events[0]![1]['grantId']).toEqual(expect.any(String));
  });

  it.each(responseTypes)('is never sent in the query, not even as an error: %s', async (response_type) => {
    const { authorize } = await setUp({ more: [jarm()] });
    for (const response_mode of ['query', 'query.jwt']) {
      const { location, parameters } = await authorize({ response_type, nonce, response_mode });
      expect(location).toContain('#error=');
      expect(parameters).toMatchObject({ error: 'invalid_request', state: 'xyz' });
    }
    const { location } = await authorize({ response_type, nonce, response_mode: 'jwt' });
    const signed = decodeJwt(new URLSearchParams(location.split('#')[1]).get('response')!);
    expect(signed).toMatchObject({ code: expect.any(String), access_token: expect.any(String), aud: 'web' });
    const denied = await authorize({ response_type, nonce, allowed: 'false' });
    expect(denied.location).toContain('#error=access_denied');
  });

  it('contains a JWT access token for the requested resource', async () => {
    const resource = 'https://notes.example.com';
    const more = [
      jwtAccessTokens({ audience: ISSUER }),
      resourceIndicators({ resources: [resource], unrestricted: true }),
    ];
    const one = await setUp({ more });
    const { parameters } = await one.authorize({ response_type: ALL, nonce, resource });
    const { payload } = await one.verifyIdToken(parameters['access_token'], resource);
    expect(payload).toMatchObject({ sub: 'alice', client_id: 'web', scope: 'openid' });
    expect(decodeJwt(parameters['id_token']!)['at_hash']).toBe(half(parameters['access_token']!));
    const { body } = await one.redeem(parameters['code']);
    expect(decodeJwt(body.access_token).aud).toBe(resource);
  });

  it('requires a code_challenge from a public client', async () => {
    const grants = ['authorization_code', 'implicit'];
    const one = await setUp({ client: { secret: undefined, tokenEndpointAuthMethod: 'none', grants } });
    const bare = { code_challenge: undefined, code_challenge_method: undefined };
    const { parameters } = await one.authorize({ response_type: 'code token', ...bare });
    expect(parameters).toMatchObject({ error: 'invalid_request' });
  });

  it('is rejected if the access tokens of the client must be sender-constrained', async () => {
    const { authorize } = await setUp({ more: [dpop()], client: { dpopBoundAccessTokens: true } });
    for (const response_type of responseTypes) {
      const { parameters } = await authorize({ response_type, nonce });
      expect(parameters).toMatchObject({ error: 'invalid_request' });
      expect(parameters).not.toHaveProperty('access_token');
    }
  });

  it.each<[string, object, string]>([
    ['an ID token without a nonce', { response_type: ALL, nonce: undefined }, 'invalid_request'],
    ['an ID token without the scope openid', { response_type: ALL, scope: 'read' }, 'invalid_request'],
    ['a repeated value in response_type', { response_type: 'code code token' }, 'unsupported_response_type'],
  ])('is not sent for %s', async (_, query, error) => {
    const { location, parameters } = await (await setUp()).authorize({ nonce, ...query });
    expect(parameters).toMatchObject({ error });
    expect(parameters).not.toHaveProperty('code');
    expect(parameters).not.toHaveProperty('access_token');
    expect(location).toContain(error === 'invalid_request' ? '#' : '?');
  });

  it('is refused if the client lacks one of both grants, or the server does not support the response type', async () => {
    for (const grants of [['authorization_code'], ['implicit']]) {
      const { authorize } = await setUp({ client: { grants } });
      for (const response_type of responseTypes) {
        expect((await authorize({ response_type, nonce })).parameters).toMatchObject({ error: 'unauthorized_client' });
      }
    }
    const usual = await openIdServer();
    for (const response_type of responseTypes) {
      const { parameters } = await usual.authorize({ response_type, nonce });
      expect(parameters).toMatchObject({ error: 'unsupported_response_type' });
    }
  });

  it('is listed in the metadata if the server supports the grants authorization_code and implicit', async () => {
    const both = await setUp({ more: [serverMetadata({ grantTypes: ['authorization_code', 'implicit'] })] });
    expect(await both.get('openid-configuration')).toMatchObject({
      response_types_supported: expect.arrayContaining([...responseTypes]),
    });
    const one = await setUp({ more: [serverMetadata({ grantTypes: ['implicit'] })] });
    expect(await one.get('openid-configuration')).toMatchObject({ response_types_supported: ['token'] });
  });
});

describe('registration of hybrid response types', () => {
  const grants = ['authorization_code', 'implicit', 'refresh_token'];
  const more = [registration({ open: true, scopes: ['openid'], grants, rate: false })];
  const register = async (metadata: object) => {
    const { send } = await setUp({ more, responseTypes: [...responseTypes, 'code id_token'] });
    const body = { redirect_uris: [CALLBACK], ...metadata };
    const headers = { 'content-type': 'application/json', 'content-length': '1' };
    return await send('registration', new Request({ method: 'POST', headers, query: {}, body }));
  };

  it.each([[ALL], ['code token'], ['code id_token'], ['token id_token code']])(
    'accepts %s as the only response type',
    async (type) => {
      const { status, body } = await register({
        response_types: [type],
        grant_types: ['authorization_code', 'implicit'],
      });
      expect({ status, error: body['error'] }).toEqual({ status: 201, error: undefined });
      expect(body['response_types']).toEqual([type.split(' ').toSorted().join(' ')]);
    },
  );

  it.each([[['authorization_code']], [['implicit']]])(
    'requires the grants authorization_code and implicit, and rejects a registration with %j',
    async (grant_types) => {
      for (const type of [ALL, 'code token', 'code id_token']) {
        const { body } = await register({ response_types: [type], grant_types });
        expect(body).toMatchObject({ error: 'invalid_client_metadata' });
      }
    },
  );
});
