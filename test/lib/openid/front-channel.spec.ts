import { createHash } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { pushedRequests, serverMetadata } from 'nest-oauth2/features';
import { Request } from 'nest-oauth2/server';

import { ALICE, CALLBACK, openIdServer, SECRET } from '../../support/servers/openid-server.js';
import { basic, CHALLENGE, FORM } from '../../support/clients/requests.js';

const responseTypes = ['code id_token', 'id_token', 'id_token token'] as const;
const nonce = 'n-0S6_WzA2Mj';
const half = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
const setUp = (given: object = {}) => openIdServer({ responseTypes, ...given });

describe('an ID token in the authorization response', () => {
  it('contains c_hash, and has the same subject as the ID token that the code is redeemed for', async () => {
    const { authorize, redeem, verifyIdToken } = await setUp();
    const { location, parameters } = await authorize({ response_type: 'code id_token', nonce });
    expect(new URL(location).search).toBe('');
    expect(Object.keys(parameters).toSorted()).toEqual(['code', 'id_token', 'iss', 'state']);
    const { payload } = await verifyIdToken(parameters['id_token']);
    expect(payload).toMatchObject({ sub: 'alice', aud: 'web', nonce, c_hash: half(parameters['code']!) });
    expect(payload).not.toHaveProperty('at_hash');
    const { body } = await redeem(parameters['code']);
    const later = decodeJwt(body.id_token);
    expect(later).toMatchObject({ iss: payload.iss, sub: payload.sub, nonce, at_hash: half(body.access_token) });
    expect(later).not.toHaveProperty('c_hash');
  });

  it('contains the claims of the scope if there is no access token', async () => {
    const { authorize, verifyIdToken } = await setUp();
    const { parameters } = await authorize({ response_type: 'id_token', nonce, scope: 'openid email' });
    expect(Object.keys(parameters).toSorted()).toEqual(['id_token', 'iss', 'state']);
    const { payload } = await verifyIdToken(parameters['id_token']);
    expect(payload).toMatchObject({ sub: 'alice', nonce, email: ALICE.email });
    for (const name of ['name', 'at_hash', 'c_hash', 'password']) expect(payload).not.toHaveProperty(name);
  });

  it('contains at_hash for an access token that the userinfo endpoint accepts', async () => {
    const { authorize, verifyIdToken, send } = await setUp();
    const claims = JSON.stringify({ userinfo: { name: null } });
    const requested = { response_type: 'token id_token', nonce, scope: 'openid email', claims };
    const { parameters } = await authorize(requested);
    expect(parameters).toMatchObject({ token_type: 'Bearer', scope: 'openid email' });
    const token = parameters['access_token']!;
    const { payload } = await verifyIdToken(parameters['id_token']);
    expect(payload).toMatchObject({ at_hash: half(token) });
    expect(payload).not.toHaveProperty('email');
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await send('userinfo', new Request({ method: 'GET', headers, query: {} }));
    expect(body).toMatchObject({ sub: 'alice', email: ALICE.email, name: ALICE.name });
  });

  it('contains `auth_time` and `acr` of the login', async () => {
    const { authorize } = await setUp();
    const signedIn = { authTime: new Date(1_700_000_000_000), acr: 'silver' };
    const { parameters } = await authorize({ response_type: 'id_token', nonce }, undefined, signedIn);
    expect(decodeJwt(parameters['id_token']!)).toMatchObject({ auth_time: 1_700_000_000, acr: 'silver' });
  });

  it.each([...responseTypes, 'id_token code'])('is not issued for %s without a nonce', async (response_type) => {
    const { authorize } = await setUp();
    const { location, parameters } = await authorize({ response_type });
    expect(parameters).toMatchObject({ error: 'invalid_request', state: 'xyz' });
    expect(location).toContain('#error=');
  });

  it.each<[string, object, string]>([
    ['without the scope openid', { scope: 'read' }, 'invalid_request'],
    ['with response_mode=query', { response_mode: 'query' }, 'invalid_request'],
    ['for an unsupported response type', { response_type: 'code token' }, 'unsupported_response_type'],
  ])('is not issued %s', async (_, query, error) => {
    const { authorize } = await setUp();
    const { parameters } = await authorize({ response_type: 'code id_token', nonce, ...query });
    expect(parameters).toMatchObject({ error });
    expect(parameters).not.toHaveProperty('id_token');
  });

  it('is replaced by the error invalid_scope, without a code, if the scope openid was not granted', async () => {
    const { authorize } = await setUp({ model: { validateScope: () => ['read'] } });
    const { parameters } = await authorize({ response_type: 'code id_token', nonce, scope: 'openid read' });
    expect(parameters).toEqual({
      error: 'invalid_scope',
      error_description: expect.any(String),
      state: 'xyz',
      iss: expect.any(String),
    });
  });

  it('is not issued to a client without the grant `implicit`, or without support of the server', async () => {
    const requested = { response_type: 'code id_token', nonce };
    const { authorize } = await setUp({ client: { grants: ['authorization_code'] } });
    expect((await authorize(requested)).parameters).toMatchObject({ error: 'unauthorized_client' });
    const usual = await openIdServer();
    expect((await usual.authorize(requested)).parameters).toMatchObject({ error: 'unsupported_response_type' });
  });

  it('is listed with its response types in the metadata', async () => {
    const { get } = await setUp({ more: [serverMetadata({ grantTypes: ['authorization_code', 'implicit'] })] });
    expect(await get('openid-configuration')).toMatchObject({
      response_types_supported: expect.arrayContaining(['code', ...responseTypes]),
      response_modes_supported: expect.arrayContaining(['query', 'fragment']),
    });
    await expect(setUp({ responseTypes: ['token code'] })).rejects.toThrow(/must be a list of 'code id_token'/);
  });
});

describe('the scope offline_access', () => {
  const offline = { scope: 'openid offline_access' };

  it('is not needed for a refresh token by default', async () => {
    const { signIn } = await openIdServer();
    expect((await signIn()).refresh_token).toEqual(expect.any(String));
  });

  it('is needed with prompt=consent for a refresh token if `offlineAccess` is true', async () => {
    const { signIn, token } = await openIdServer({ offlineAccess: true });
    const { refresh_token } = await signIn({ ...offline, prompt: 'consent unknown' });
    const { body } = await token({ grant_type: 'refresh_token', refresh_token });
    expect(body).toMatchObject({ refresh_token: expect.any(String), id_token: expect.any(String) });
    for (const query of [{}, offline, { ...offline, prompt: 'unknown' }, { prompt: 'consent' }]) {
      const answered = await signIn(query);
      expect(answered).toMatchObject({ access_token: expect.any(String) });
      expect(answered).not.toHaveProperty('refresh_token');
    }
  });

  it('must be granted for a refresh token if `offlineAccess` is true', async () => {
    const { signIn } = await openIdServer({ offlineAccess: true, model: { validateScope: () => ['openid'] } });
    expect(await signIn({ ...offline, prompt: 'consent' })).not.toHaveProperty('refresh_token');
  });

  it('is not needed for a refresh token without the scope openid, even if `offlineAccess` is true', async () => {
    const { signIn } = await openIdServer({ offlineAccess: true });
    expect(await signIn({ scope: 'read' })).toHaveProperty('refresh_token');
  });
});

describe('a request with a parameter that the server does not support', () => {
  it.each([
    ['request', 'eyJhbGciOiJub25lIn0.e30.', 'request_not_supported'],
    ['request_uri', 'https://app.example/request.jwt', 'request_uri_not_supported'],
    ['registration', '{}', 'registration_not_supported'],
  ])('is rejected with a specific error: %s', async (name, value, error) => {
    const { authorize } = await openIdServer();
    expect((await authorize({ [name]: value })).parameters).toMatchObject({ error, state: 'xyz' });
    expect((await authorize({ [name]: '' })).parameters).toHaveProperty('code');
  });

  it('is rejected because of this parameter even if other parameters are missing', async () => {
    const { authorize } = await openIdServer();
    const bare = { state: undefined, code_challenge: undefined, code_challenge_method: undefined };
    const { parameters } = await authorize({ ...bare, request: 'eyJhbGciOiJub25lIn0.e30.' });
    expect(parameters).toMatchObject({ error: 'request_not_supported' });
  });

  it('is accepted with the request_uri of a pushed request', async () => {
    const { authorize, redeem, send, verifyIdToken } = await openIdServer({ more: [pushedRequests()] });
    const requested = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 'xyz' };
    const body = { ...requested, code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const headers = { ...FORM, authorization: basic('web', SECRET) };
    const pushed = await send(
      'pushed_authorization_request',
      new Request({ method: 'POST', headers, query: {}, body }),
    );
    const { parameters } = await authorize({ request_uri: pushed.body['request_uri'] });
    const { id_token } = (await redeem(parameters['code'])).body;
    expect((await verifyIdToken(id_token)).payload).toMatchObject({ sub: 'alice' });
    const foreign = await authorize({ request_uri: 'https://app.example/request.jwt' });
    expect(foreign.parameters).toMatchObject({ error: 'request_uri_not_supported' });
  });
});
