import { generateKeyPairSync, sign as signBytes } from 'node:crypto';

import { describe, expect, it, jest } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose';
import * as oauth from 'oauth4webapi';
import { type Feature, pushedRequests, registration, serverMetadata } from 'nest-oauth2/features';
import { jarm, type JarmOptions, keys } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { CALLBACK, createTestModel, WEB } from '../../support/models/model.js';
import { postedForm } from '../../support/clients/posted-form.js';
import {
  runOperation,
  authorizeRequest,
  CHALLENGE,
  formRequest,
  signedIn,
  summary,
} from '../../support/clients/requests.js';

const ISSUER = 'https://id.example.com';

const newJwk = async (alg: string) => ({
  ...(await exportJWK((await generateKeyPair(alg, { extractable: true })).privateKey)),
  alg,
});
const from = await Promise.all([newJwk('ES256'), newJwk('PS256')]);

interface Setup {
  given?: JarmOptions;
  client?: object;
  more?: readonly Feature[];
}

function serverWith({ given, client, more = [] }: Setup = {}) {
  const { model, clients } = createTestModel();
  clients.set('web', { ...WEB, grants: ['authorization_code', 'implicit'], ...client });
  const features = [keys({ from }), jarm(given), serverMetadata(), ...more];
  return new OAuth2Server({ model, issuer: ISSUER, features, ...signedIn });
}

const ask = (query: object, setup: Setup = {}) =>
  runOperation(serverWith(setup), 'authorize', authorizeRequest({ ...query }));

async function documentOf(server: OAuth2Server, id: string): Promise<Record<string, unknown>> {
  const response = new Response();
  await server.handle(id, new Request({ method: 'GET', headers: {}, query: {} }), response);
  return response.body as Record<string, unknown>;
}

/** Reads an authorization response with the independent client library oauth4webapi. */
async function readBy(
  server: OAuth2Server,
  parameters: URLSearchParams,
  client: object = {},
): Promise<URLSearchParams> {
  const as = (await documentOf(server, 'server-metadata')) as unknown as oauth.AuthorizationServer;
  const jwks = await documentOf(server, 'jwks');
  const options = { [oauth.customFetch]: () => Promise.resolve(globalThis.Response.json(jwks)) };
  return oauth.validateJwtAuthResponse(as, { client_id: 'web', ...client }, parameters, 'xyz', options);
}

describe('jarm()', () => {
  it.each([
    ['jwt', 'code', '?response='],
    ['query.jwt', 'code', '?response='],
    ['fragment.jwt', 'code', '#response='],
    ['jwt', 'token', '#response='],
    ['fragment.jwt', 'token', '#response='],
  ])('signs the response for response_mode=%s and response_type=%s', async (response_mode, response_type, place) => {
    const { headers, redirected, error } = await ask({ response_mode, response_type });
    expect(summary(error)).toBe('no error');
    expect(headers['location']).toContain(CALLBACK + place);
    expect(Object.keys(redirected)).toEqual(['response']);
    const { iat, exp, ...claims } = decodeJwt(redirected['response'] as string);
    expect(exp! - iat!).toBe(60);
    expect(claims).toMatchObject({
      iss: ISSUER,
      aud: 'web',
      state: 'xyz',
      [response_type === 'code' ? 'code' : 'access_token']: expect.any(String),
    });
  });

  it('signs responses that the client library oauth4webapi accepts only for their client and with an intact signature', async () => {
    const server = serverWith();
    const { redirected } = await runOperation(server, 'authorize', authorizeRequest({ response_mode: 'jwt' }));
    const sent = new URLSearchParams(redirected as Record<string, string>);
    const read = await readBy(server, sent);
    expect([...read.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
    await expect(readBy(server, sent, { client_id: 'spa' })).rejects.toThrow('unexpected JWT "aud"');
    await expect(
      readBy(serverWith({ more: [] }), new URLSearchParams({ response: `${sent.get('response')!}x` })),
    ).rejects.toThrow('JWT signature verification failed');
  });

  it('posts the signed response for response_mode=form_post.jwt', async () => {
    const server = serverWith();
    const { body } = await runOperation(server, 'authorize', authorizeRequest({ response_mode: 'form_post.jwt' }));
    const { action, fields } = postedForm(body);
    expect([action, Object.keys(fields)]).toEqual([CALLBACK, ['response']]);
    expect((await readBy(server, new URLSearchParams(fields))).get('code')).toMatch(/^[\da-f]{64}$/);
  });

  it('also signs errors', async () => {
    const { redirected, error } = await ask({ response_mode: 'jwt', scope: 'nonsense' });
    expect(error?.name).toBe('invalid_scope');
    expect(decodeJwt(redirected['response'] as string)).toMatchObject({
      iss: ISSUER,
      aud: 'web',
      error: 'invalid_scope',
      state: 'xyz',
    });
  });

  it('signs nothing if an error is not sent to the client: unknown client, wrong URI, pushed request', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const signs = jest.fn((data: Uint8Array) =>
      signBytes('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
    );
    const signer = { alg: 'ES256' as const, publicKey: publicKey.export({ format: 'jwk' }), sign: signs };
    const spa = { id: 'spa', tokenEndpointAuthMethod: 'none', grants: ['authorization_code'], scopes: ['read'] };
    const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };
    const model = new MemoryStore({ clients: [{ ...spa, redirectUris: [CALLBACK] }], users });
    const features = [keys({ from: [signer] }), jarm(), pushedRequests()];
    const server = new OAuth2Server({ model, issuer: ISSUER, features, ...signedIn });
    const requested = { client_id: 'spa', response_mode: 'jwt', scope: 'nonsense', code_challenge: CHALLENGE };
    const whole = { ...requested, code_challenge_method: 'S256' };
    for (const bad of [{ client_id: 'nobody' }, { redirect_uri: 'https://evil.example/' }]) {
      const { headers, status } = await runOperation(server, 'authorize', authorizeRequest({ ...whole, ...bad }));
      expect([status, headers['location']]).toEqual([400, undefined]);
    }
    const form = { ...whole, response_type: 'code', redirect_uri: CALLBACK };
    const response = new Response();
    await server.handle('pushed_authorization_request', formRequest(form), response).catch(() => undefined);
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    expect(signs).not.toHaveBeenCalled();

    await runOperation(server, 'authorize', authorizeRequest(whole));
    expect(signs).toHaveBeenCalledTimes(1);
  });

  it('rejects query.jwt for an access token, which must not appear in the query', async () => {
    const { headers, error } = await ask({ response_mode: 'query.jwt', response_type: 'token' });
    expect(summary(error)).toBe('400 invalid_request: Invalid parameter: `response_mode`');
    expect(headers['location']).toContain('#error=invalid_request');
  });

  it.each([
    ['the first key of the server', {}, 'ES256'],
    ['the option `alg`', { given: { alg: 'PS256' } }, 'PS256'],
    ['the client settings of the application', { client: { authorizationSignedResponseAlg: 'PS256' } }, 'PS256'],
    [
      'the registered client metadata',
      { client: { metadata: { authorization_signed_response_alg: 'PS256' } } },
      'PS256',
    ],
  ] satisfies [string, Setup, string][])('takes the signature algorithm from %s', async (_, setup, alg) => {
    const { redirected } = await ask({ response_mode: 'jwt' }, setup);
    expect(decodeProtectedHeader(redirected['response'] as string)).toMatchObject({ alg, kid: expect.any(String) });
  });

  it('responds with 503, without a redirect, if it cannot sign the response', async () => {
    for (const scope of ['read', 'nonsense']) {
      const client = { authorizationSignedResponseAlg: 'none' };
      const { status, headers, error, body } = await ask({ response_mode: 'jwt', scope }, { client });
      expect([status, error?.name, headers['location']]).toEqual([503, 'server_error', undefined]);
      expect(body).not.toHaveProperty('code');
    }
  });

  it('lists its response modes and algorithms in the server metadata', async () => {
    expect(await documentOf(serverWith(), 'server-metadata')).toMatchObject({
      response_modes_supported: ['query', 'fragment', 'jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt'],
      authorization_signing_alg_values_supported: ['ES256', 'PS256'],
    });
  });

  it('lets clients register supported algorithms only', async () => {
    const model = new MemoryStore({
      clients: [],
      users: { findById: () => undefined, findByCredentials: () => undefined },
    });
    const features = [keys({ from }), jarm(), registration({ open: true, scopes: ['read'] })];
    const server = new OAuth2Server({ model, issuer: ISSUER, features, ...signedIn });
    const register = async (alg: unknown) => {
      const body = { redirect_uris: [CALLBACK], scope: 'read', authorization_signed_response_alg: alg };
      const headers = { 'content-type': 'application/json', 'content-length': '1' };
      const response = new Response();
      await server
        .handle('registration', new Request({ method: 'POST', headers, query: {}, body }), response)
        .catch(() => undefined);
      return response;
    };
    const registered = await register('PS256');
    expect(registered.body).toMatchObject({ authorization_signed_response_alg: 'PS256' });
    const client_id = registered.body.client_id as string;
    const { redirected } = await runOperation(
      server,
      'authorize',
      authorizeRequest({ client_id, response_mode: 'jwt' }),
    );
    expect(decodeProtectedHeader(redirected['response'] as string).alg).toBe('PS256');
    for (const alg of ['none', 'HS256', 'RS256', ['ES256'], 1]) {
      const { status, body } = await register(alg);
      expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
    }
  });

  it.each([
    [{ lifetme: 1 }, 'unknown option `lifetme` of `jarm()`'],
    [{ alg: 'RS256' }, "no key in `keys()` supports `alg: 'RS256'` of `jarm()`"],
    [{ alg: 'none' }, '`alg` of `jarm()` must be one of'],
    [{ lifetime: 6000 }, '`lifetime` of `jarm()` must be a number of seconds, from 1 to 600. Got 6000'],
  ])('rejects the options %j at start-up', (given, sentence) => {
    expect(() => serverWith({ given: given as never })).toThrow(sentence);
  });

  it('rejects a server without keys or issuer at start-up', () => {
    const { model } = createTestModel();
    expect(() => new OAuth2Server({ model, issuer: ISSUER, features: [jarm()] })).toThrow(
      '`jarm()` requires signing keys',
    );
    expect(() => new OAuth2Server({ model, features: [keys({ from }), jarm()] })).toThrow(
      '`jarm()` requires the option',
    );
  });
});
