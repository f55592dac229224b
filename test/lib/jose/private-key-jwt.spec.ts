import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { introspection, pushedRequests, registration, revocation, serverMetadata } from 'nest-oauth2/features';
import { clientSecretJwt, privateKeyJwt, type PrivateKeyJwtOptions } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import * as oauth from 'oauth4webapi';

import { basic, FORM } from '../../support/clients/requests.js';

const ISSUER = 'https://id.example.com';
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const now = () => Math.floor(Date.now() / 1000);

type Pair = Awaited<ReturnType<typeof pairOf>>;
async function pairOf(alg: string, kid: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, publicKey, privateKey, jwk: { ...(await exportJWK(publicKey)), alg, kid } };
}

let own: Pair;
let other: Pair;
let ed: Pair;
let keyServer: Server;
let keysUri: string;
let served: { status: number; body: string; requested: number; held?: () => void };

beforeAll(async () => {
  [own, other, ed] = [await pairOf('ES256', 'own'), await pairOf('ES256', 'other'), await pairOf('EdDSA', 'ed')];
  keyServer = createServer(({ url }, response) => {
    served.requested++;
    const answer = () => response.writeHead(served.status, { 'content-type': 'application/json' }).end(served.body);
    if (url?.endsWith('?slow')) served.held = answer;
    else answer();
  });
  await new Promise<void>((resolve) => {
    keyServer.listen(0, '127.0.0.1', resolve);
  });
  keysUri = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/keys`;
});
afterAll(() => new Promise((resolve) => void keyServer.close(resolve)));
beforeEach(() => {
  served = { status: 200, body: JSON.stringify({ keys: [own.jwk] }), requested: 0 };
});

/** Creates a server with clients whose keys are registered, fetched from a URL, or missing. */
function setUp(options: PrivateKeyJwtOptions = {}) {
  const client = { grants: ['client_credentials'], scopes: ['read'], defaultScope: ['read'] };
  const byKey = { ...client, tokenEndpointAuthMethod: 'private_key_jwt' };
  const clients = [
    { ...byKey, id: 'given', jwks: { keys: [own.jwk] } },
    { ...byKey, id: 'fetched', jwksUri: keysUri },
    { ...byKey, id: 'slow', jwksUri: `${keysUri}?slow` },
    { ...byKey, id: 'described', metadata: { jwks: { keys: [own.jwk] } } as never },
    { ...byKey, id: 'several', jwks: { keys: [other.jwk, { ...own.jwk, kid: undefined }, ed.jwk] } },
    { ...byKey, id: 'without' },
    { ...byKey, id: 'pinned', jwks: { keys: [own.jwk, ed.jwk] }, tokenEndpointAuthSigningAlg: 'EdDSA' },
    {
      ...byKey,
      id: 'self-pinned',
      metadata: { jwks: { keys: [own.jwk, ed.jwk] }, token_endpoint_auth_signing_alg: 'EdDSA' } as never,
    },
    { ...byKey, id: 'foreign', jwks: { keys: [other.jwk] } },
    { ...client, id: 'secret', secret: 'secret-of-it', jwks: { keys: [own.jwk] } },
  ];
  const model = new MemoryStore({ clients, users: { findById: () => null, findByCredentials: () => null } });
  const fetch = { allowLoopback: true, ...options.fetch };
  const features = [
    privateKeyJwt({ ...options, fetch }),
    serverMetadata(),
    introspection(),
    revocation(),
    pushedRequests(),
  ];
  const heard: Record<string, unknown>[] = [];
  const events = { emit: (name: string, payload: object) => heard.push({ name, ...payload }) };
  const server = new OAuth2Server({ model, issuer: ISSUER, features, events });
  const post = async (body: object, endpoint = 'token', headers: object = {}) => {
    const response = new Response();
    const request = new Request({ method: 'POST', headers: { ...FORM, ...headers }, query: {}, body });
    const call = endpoint === 'token' ? server.token(request, response) : server.handle(endpoint, request, response);
    await call.catch(() => undefined);
    return { status: response.status, body: response.body as Record<string, unknown>, headers: response.headers };
  };
  const ask = async (assertion: string, more: object = {}, endpoint?: string, headers?: object) =>
    post(
      { grant_type: 'client_credentials', client_assertion_type: TYPE, client_assertion: assertion, ...more },
      endpoint,
      headers,
    );
  return { server, model, post, ask, heard };
}

const claimsOf = (claims: object = {}) => ({
  iss: 'given',
  sub: 'given',
  aud: ISSUER,
  iat: now(),
  exp: now() + 60,
  jti: crypto.randomUUID(),
  ...claims,
});
const sign = (claims: object = {}, header: object = {}, { alg, kid, privateKey }: Pair = own) =>
  new SignJWT(claimsOf(claims)).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
const of = (id: string) => ({ iss: id, sub: id });

/** A value that cannot be converted to a string. */
const NO_TEXT = { toString: 1, valueOf: 1 };

const REFUSED = { status: 401, body: { error: 'invalid_client' } };

describe('client authentication with private_key_jwt', () => {
  it.each([
    { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
    { kty: 'EC', crv: 'P-256', x: 7 },
    { kty: 'RSA', n: 'AQ', e: 'AQAB', alg: 'ES256' },
  ])('rejects an invalid key without a server error: %j', async (jwk) => {
    served.body = JSON.stringify({ keys: [jwk] });
    expect(await setUp().ask(await sign(of('fetched'), { kid: undefined }))).toMatchObject(REFUSED);
  });

  it.each(['given', 'fetched', 'described'])('accepts a client whose keys are %s', async (id) => {
    const { ask, heard } = setUp();
    expect(await ask(await sign(of(id)))).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
    expect(heard).toContainEqual(expect.objectContaining({ name: 'client.authenticated', method: 'private_key_jwt' }));
  });

  it('accepts only the algorithm that the client registered', async () => {
    const { ask } = setUp();
    for (const id of ['pinned', 'self-pinned']) {
      expect(await ask(await sign(of(id)))).toMatchObject(REFUSED);
      expect(await ask(await sign(of(id), {}, ed))).toMatchObject({ status: 200 });
    }
  });

  it.each([
    ['PS256', [], 201],
    ['none', [], 400],
    ['HS256', [], 400],
    ['HS256', [clientSecretJwt()], 201],
  ])('registers the algorithm %s with features %j: %i', async (token_endpoint_auth_signing_alg, more, status) => {
    const users = { findById: () => null, findByCredentials: () => null };
    const model = new MemoryStore({ clients: [], users, encryptSecretsWith: 'x'.repeat(32) });
    const features = [privateKeyJwt(), registration({ open: true }), ...more];
    const server = new OAuth2Server({ model, issuer: ISSUER, features });
    const body = { redirect_uris: ['https://app.example/cb'], token_endpoint_auth_signing_alg };
    const headers = { 'content-type': 'application/json' };
    const response = new Response();
    const request = new Request({ method: 'POST', headers, query: {}, body });
    await server.handle('registration', request, response).catch(() => undefined);
    expect(response.status).toBe(status);
  });

  it('accepts the client_id of the same client in addition, and rejects another one', async () => {
    const { ask } = setUp();
    expect(await ask(await sign(), { client_id: 'given' })).toMatchObject({ status: 200 });
    expect(await ask(await sign(), { client_id: 'foreign' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  it('accepts a client with several keys and an assertion without a `kid`', async () => {
    const { ask } = setUp();
    for (const pair of [own, other, ed]) {
      expect(await ask(await sign(of('several'), { kid: undefined }, pair))).toMatchObject({ status: 200 });
    }
    expect(await ask(await sign(of('several'), { kid: 'own' }, other))).toMatchObject(REFUSED);
  });

  it('is accepted at every endpoint', async () => {
    const { ask } = setUp();
    const { body } = await ask(await sign());
    const token = { token: body['access_token'] };
    expect(await ask(await sign(), token, 'introspection')).toMatchObject({
      body: { active: true, client_id: 'given' },
    });
    expect(await ask(await sign(), token, 'revocation')).toMatchObject({ status: 200 });
    expect(await ask(await sign(), token, 'introspection')).toMatchObject({ body: { active: false } });
  });

  it('accepts assertions of the client library oauth4webapi', async () => {
    const { post, server } = setUp();
    const response = new Response();
    const path = '/.well-known/oauth-authorization-server';
    await server.handle('server-metadata', new Request({ method: 'GET', headers: {}, query: {}, path }), response);
    const as = response.body as unknown as oauth.AuthorizationServer;
    expect(as).toMatchObject({
      token_endpoint_auth_methods_supported: expect.arrayContaining(['private_key_jwt']),
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256', 'PS256']),
      introspection_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256']),
    });
    const customFetch = async (_: string, { body, headers }: { body?: unknown; headers: object }) => {
      const answer = await post(Object.fromEntries(body as URLSearchParams), 'token', headers);
      return globalThis.Response.json(answer.body, { status: answer.status });
    };
    const result = await oauth.clientCredentialsGrantRequest(
      as,
      { client_id: 'given' },
      oauth.PrivateKeyJwt({ key: own.privateKey, kid: 'own' }),
      {},
      { [oauth.customFetch]: customFetch },
    );
    expect(await oauth.processClientCredentialsResponse(as, { client_id: 'given' }, result)).toHaveProperty(
      'access_token',
    );
  });

  const TOKEN_URL = `${ISSUER}/oauth/token`;
  const PAR_URL = `${ISSUER}/oauth/par`;

  it('accepts the URL of the token endpoint as `aud` if the option `audiences` lists it', async () => {
    const aud = TOKEN_URL;
    expect(await setUp().ask(await sign({ aud }))).toMatchObject(REFUSED);
    expect(await setUp({ audiences: [aud] }).ask(await sign({ aud }))).toMatchObject({ status: 200 });
  });

  it.each([
    ['the issuer in a list', [ISSUER], 200],
    ['the issuer and an endpoint of the server', [ISSUER, TOKEN_URL], 200],
    ['endpoints of the server without the issuer', [TOKEN_URL, PAR_URL], 401],
    ['the issuer and another server', [ISSUER, 'https://evil.example'], 401],
    ['the issuer and a value that is not a string', [ISSUER, 7], 401],
    ['the issuer and a nested list', [ISSUER, [ISSUER]], 401],
    ['more values than a server has endpoints', Array.from({ length: 9 }, () => ISSUER), 401],
    ['an empty list', [], 401],
  ])('responds to %s as `aud`, %j, with %i (RFC 7519 §4.1.3)', async (_, aud, status) => {
    expect(await setUp().ask(await sign({ aud }))).toMatchObject({ status });
  });

  it.each([
    [ISSUER, 400],
    [[ISSUER], 400],
    [TOKEN_URL, 400],
    [PAR_URL, 400],
    [[PAR_URL, ISSUER], 400],
    ['https://id.example.com/oauth/introspect', 401],
    [[PAR_URL, 'https://evil.example/par'], 401],
  ])(
    'authenticates a client at the PAR endpoint by the audiences of RFC 9126 §2: %j causes the status %i (401: rejected)',
    async (aud, status) => {
      // The status 400 reports missing parameters of an authenticated client.
      expect(await setUp().ask(await sign({ aud }), {}, 'pushed_authorization_request')).toMatchObject({ status });
    },
  );

  it('accepts only the issuer, as a string, if `issuerAudienceOnly` is true', async () => {
    const { ask } = setUp({ issuerAudienceOnly: true });
    for (const aud of [[ISSUER], [ISSUER, TOKEN_URL], TOKEN_URL]) {
      expect(await ask(await sign({ aud }))).toMatchObject(REFUSED);
    }
    for (const aud of [[ISSUER], TOKEN_URL, PAR_URL]) {
      expect(await ask(await sign({ aud }), {}, 'pushed_authorization_request')).toMatchObject(REFUSED);
    }
    expect(await ask(await sign())).toMatchObject({ status: 200 });
    expect(await ask(await sign(), {}, 'pushed_authorization_request')).toMatchObject({ status: 400 });
  });

  it('accepts assertions that are valid for an hour, and stores their `jti` for as long', async () => {
    const { ask, heard } = setUp();
    const assertion = await sign({ exp: now() + 3600 });
    expect(await ask(assertion)).toMatchObject({ status: 200 });
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3595_000);
    expect(await ask(assertion)).toMatchObject(REFUSED);
    clock.mockRestore();
    expect(await ask(await sign({ exp: now() + 3700 }))).toMatchObject(REFUSED);
    expect(heard.at(-1)).toMatchObject({ name: 'client.refused', reason: expect.stringContaining('`maxLifetime`') });
  });

  it('accepts a clock skew of ten seconds', async () => {
    const { ask, heard } = setUp();
    expect(await ask(await sign({ iat: now() + 8, nbf: now() + 8 }))).toMatchObject({ status: 200 });
    expect(await ask(await sign({ exp: now() - 8 }))).toMatchObject({ status: 200 });
    expect(await ask(await sign({ iat: now() + 20 }))).toMatchObject(REFUSED);
    expect(heard.at(-1)).toMatchObject({ reason: '`iat` of the client assertion is in the future' });
    expect(await ask(await sign({ nbf: now() + 20 }))).toMatchObject(REFUSED);
    expect(await ask(await sign({ exp: now() - 20 }))).toMatchObject(REFUSED);
  });
});

describe('a client assertion', () => {
  it('is accepted only once, even if it is sent several times concurrently or again after its expiry', async () => {
    const { ask } = setUp();
    const assertion = await sign();
    const all = await Promise.all(Array.from({ length: 8 }, () => ask(assertion)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 65_000);
    expect(await ask(assertion)).toMatchObject(REFUSED);
    clock.mockRestore();
  });

  it('can have the same `jti` as an assertion of another client', async () => {
    const { ask } = setUp();
    const jti = 'the same';
    expect(await ask(await sign({ jti }))).toMatchObject({ status: 200 });
    expect(await ask(await sign({ ...of('described'), jti }))).toMatchObject({ status: 200 });
  });

  const forgeries: [string, () => string | Promise<string>][] = [
    ['has no signature', () => new UnsecuredJWT(claimsOf()).encode()],
    ['is signed with the key of another client', () => sign({}, {}, other)],
    ['is signed with the key of another client and the right `kid`', () => sign({}, { kid: 'own' }, other)],
    ['is signed with a key in its own header', () => sign({}, { kid: 'new', jwk: other.jwk }, other)],
    ['is signed with the public key as HMAC secret', () => hs256(JSON.stringify(own.jwk))],
    ['has another client as issuer', () => sign({ iss: 'foreign' })],
    ['is for another server', () => sign({ aud: 'https://evil.example' })],
    ['is for several servers', () => sign({ aud: [ISSUER, 'https://evil.example'] })],
    ['is for no audience', () => sign({ aud: undefined })],
    ['is for an audience that is not a string', () => sign({ aud: NO_TEXT })],
    ['has no expiry', () => sign({ exp: undefined })],
    ['is valid for a year', () => sign({ exp: now() + 31_536_000 })],
    ['has an expiry that is a string', () => sign({ exp: '9999999999' })],
    ['has no `jti`', () => sign({ jti: undefined })],
    ['has a list as `jti`', () => sign({ jti: ['x'] })],
    ['has no subject', () => sign({ sub: undefined })],
    ['is of an unknown client', () => sign(of('nobody'))],
    ['is of a client without keys', () => sign(of('without'))],
    ['is of a client that is registered for a secret', () => sign(of('secret'))],
    ['is not a JWT', () => 'x.y.z'],
    ['is too long', () => sign({ pad: 'x'.repeat(9000) })],
    ['has an unknown critical header', () => crit()],
    [
      'is signed with a key that its header links to',
      () => sign({}, { kid: 'new', jku: keysUri, x5u: keysUri }, other),
    ],
    ['is signed with the `kid` `__proto__`', () => sign({}, { kid: '__proto__' }, other)],
    ['is signed with a path as `kid`', () => sign({}, { kid: '../../../../dev/null' }, other)],
    ['is signed with an object as `kid`', () => sign({}, { kid: { $ne: null } }, other)],
    [
      'is signed with a key of another type than its algorithm',
      () => sign({}, { alg: 'EdDSA' }, { ...own, privateKey: ed.privateKey }),
    ],
    ['is modified', () => changed()],
  ];
  const crit = () =>
    new SignJWT(claimsOf())
      .setProtectedHeader({ alg: 'ES256', kid: 'own', crit: ['x'], x: 1 })
      .sign(own.privateKey, { crit: { x: true } });
  const changed = async () => {
    const [header, , signature] = (await sign(of('foreign'))).split('.');
    return [header, Buffer.from(JSON.stringify(claimsOf())).toString('base64url'), signature].join('.');
  };
  const hs256 = (secret: string) =>
    new SignJWT(claimsOf()).setProtectedHeader({ alg: 'HS256', kid: 'own' }).sign(new TextEncoder().encode(secret));

  it.each(forgeries)('is rejected with a generic error, and an event with the reason, if it %s', async (_, forge) => {
    const { ask, heard } = setUp();
    const answer = await ask(await forge());
    expect(answer).toMatchObject(REFUSED);
    expect(answer.body['error_description']).toMatch(
      /^Invalid client: (the client assertion is not accepted|client is invalid|cannot retrieve client credentials)$/,
    );
    expect(heard).toContainEqual(expect.objectContaining({ name: 'client.refused', reason: expect.any(String) }));
    expect(JSON.stringify(heard)).not.toContain('eyJ');
  });

  it.each([
    ['with a client secret in the header', {}, { authorization: basic('given', 'x') }],
    ['with a client secret in the form', { client_id: 'given', client_secret: 'x' }, {}],
    ['with another assertion type', { client_assertion_type: 'urn:other' }, {}],
    ['without an assertion type', { client_assertion_type: undefined }, {}],
    ['repeatedly', { client_assertion: ['a', 'b'] }, {}],
  ])('causes invalid_request if it is sent %s', async (_, body, headers) => {
    const { ask } = setUp();
    expect(await ask(await sign(), body, undefined, headers)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });
});

describe('a client that is registered for private_key_jwt', () => {
  it('cannot authenticate without an assertion or by a secret, even if the model accepts that', async () => {
    const { post, model } = setUp();
    const grant = { grant_type: 'client_credentials', client_id: 'given' };
    expect(await post(grant)).toMatchObject(REFUSED);
    const getClient = model.getClient.bind(model);
    jest.spyOn(model, 'getClient').mockImplementation(async (id) => getClient(id, null));
    expect(await post({ ...grant, client_secret: 'anything' })).toMatchObject(REFUSED);
  });
});

describe('the `jwks_uri` of a client with private_key_jwt', () => {
  it('is fetched once, and not again for each unknown `kid`', async () => {
    const { ask } = setUp();
    for (let i = 0; i < 3; i++) expect(await ask(await sign(of('fetched')))).toMatchObject({ status: 200 });
    expect(served.requested).toBe(1);
    for (let i = 0; i < 10; i++) expect(await ask(await sign(of('fetched'), { kid: `k${i}` }))).toMatchObject(REFUSED);
    expect(served.requested).toBe(1);
  });

  it('can be fetched right after a fetch was refused for too many concurrent fetches', async () => {
    const { ask } = setUp({ fetch: { concurrency: 1 } });
    const slow = ask(await sign(of('slow')));
    while (!served.held) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await ask(await sign(of('fetched')))).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    served.held();
    expect(await slow).toMatchObject({ status: 200 });
    expect(await ask(await sign(of('fetched')))).toMatchObject({ status: 200 });
  });

  it.each([
    ['responds with 500', () => (served.status = 500)],
    ['redirects', () => (served.status = 302)],
    ['returns no JSON', () => (served.body = '<html>')],
    ['returns no list of keys', () => (served.body = '{"keys":1}')],
    ['returns too much content', () => (served.body = JSON.stringify({ keys: [], pad: 'x'.repeat(100_000) }))],
    ['returns a symmetric key', () => (served.body = '{"keys":[{"kty":"oct","k":"AAAA","kid":"own"}]}')],
  ])('causes an error if it %s', async (_, spoil) => {
    spoil();
    const { status, body } = await setUp().ask(await sign(of('fetched')));
    expect([401, 503]).toContain(status);
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  });

  it('is not fetched from this machine unless that is allowed', async () => {
    const { ask } = setUp({ fetch: { allowLoopback: false } });
    expect(await ask(await sign(of('fetched')))).toMatchObject(REFUSED);
    expect(served.requested).toBe(0);
  });
});

describe('privateKeyJwt()', () => {
  const users = { findById: () => null, findByCredentials: () => null };
  const model = () => new MemoryStore({ clients: [], users });
  it.each<[string, () => unknown, RegExp]>([
    [
      'a server without an issuer',
      () => new OAuth2Server({ model: model(), features: [privateKeyJwt()] }),
      /Set the option `issuer`/,
    ],
    [
      'a weak algorithm',
      () =>
        new OAuth2Server({
          model: model(),
          issuer: ISSUER,
          features: [privateKeyJwt({ algorithms: ['HS256' as never] })],
        }),
      /must be a list of/,
    ],
    [
      'an invalid maximum lifetime',
      () => new OAuth2Server({ model: model(), issuer: ISSUER, features: [privateKeyJwt({ maxLifetime: -1 })] }),
      /`maxLifetime`/,
    ],
    ['a misspelled option', () => privateKeyJwt({ audience: 'x' } as never), /unknown option `audience`/],
    [
      'a model without once()',
      () =>
        new OAuth2Server({ model: { getClient: () => null } as never, issuer: ISSUER, features: [privateKeyJwt()] }),
      /`once\(\)`/,
    ],
  ])('rejects at start-up %s', (_, make, sentence) => {
    expect(make).toThrow(sentence);
  });
});
