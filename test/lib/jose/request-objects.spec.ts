import { describe, expect, it, jest } from '@jest/globals';
import { CompactSign, decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { fapi2 } from 'nest-oauth2/fapi';
import { formPost, pushedRequests, registration, serverMetadata, type Feature } from 'nest-oauth2/features';
import { jarm, keys, requestObjects, type RequestObjectOptions } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { SIGNING_ALGORITHMS } from '../../support/keys/algorithms.js';
import {
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  string,
} from '../../support/environment/fast-check.js';
import { runOperation, basic, CHALLENGE, FORM, type Outcome, signedIn } from '../../support/clients/requests.js';

const ISSUER = 'https://id.example.com';
const CALLBACK = 'https://app.example/cb';
const OTHER = 'https://app.example/other';
const SECRET = 'secret-of-the-client-web';
const now = () => Math.floor(Date.now() / 1000);

async function pairOf(alg: string, kid: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, publicKey, privateKey, jwk: { ...(await exportJWK(publicKey)), alg, kid } };
}
const [own, second, other] = await Promise.all([
  pairOf('ES256', 'own'),
  pairOf('PS256', 'second'),
  pairOf('ES256', 'own'),
]);

interface Setup {
  given?: RequestObjectOptions;
  more?: readonly Feature[];
  model?: object;
}

async function setUp({ given, more = [], model = {} }: Setup = {}) {
  const known = { grants: ['authorization_code'], redirectUris: [CALLBACK, OTHER], scopes: ['read', 'write'] };
  const jwks = { keys: [own.jwk, second.jwk] };
  const clients = [
    { ...known, id: 'web', secret: SECRET, jwks },
    { ...known, id: 'pinned', secret: SECRET, jwks, requestObjectSigningAlg: 'PS256' },
    { ...known, id: 'unsigned', secret: SECRET, jwks, requestObjectSigningAlg: 'none' },
    { ...known, id: 'signing', secret: SECRET, jwks, requireSignedRequestObject: true },
    { ...known, id: 'foreign', secret: SECRET, jwks: { keys: [other.jwk] } },
    { ...known, id: 'keyless', secret: SECRET },
  ];
  const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };
  const store = Object.assign(new MemoryStore({ clients, users }), model);
  const features = [requestObjects(given), serverMetadata(), ...more];
  return { store, server: new OAuth2Server({ model: store, issuer: ISSUER, features, ...signedIn }) };
}

const CLAIMS = {
  response_type: 'code',
  client_id: 'web',
  redirect_uri: CALLBACK,
  scope: 'read',
  state: 'from the object',
};

interface Bent {
  claims?: JWTPayload;
  header?: object;
  key?: Parameters<SignJWT['sign']>[0];
}

/** Creates a valid request object, except for the given changes. */
const sign = ({ claims, header, key = own.privateKey }: Bent = {}) =>
  new SignJWT({ ...CLAIMS, iss: 'web', aud: ISSUER, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'own', typ: 'oauth-authz-req+jwt', ...header })
    .sign(key, { crit: { x: true } });

const visit = (server: OAuth2Server, query: object): Promise<Outcome> =>
  runOperation(server, 'authorize', new Request({ method: 'GET', headers: {}, query: { client_id: 'web', ...query } }));

async function ask(server: OAuth2Server, bent: Bent = {}, beside: object = {}) {
  return visit(server, { request: await sign(bent), ...beside });
}

const REFUSED = {
  status: 400,
  redirected: {},
  body: { error: 'invalid_request_object', error_description: 'Invalid request object: it is not accepted' },
};
const GRANTED = { status: 302, redirected: { code: expect.any(String), state: 'from the object', iss: ISSUER } };

const push = async (server: OAuth2Server, form: object, client = 'web') => {
  const response = new Response();
  const headers = { ...FORM, authorization: basic(client, SECRET) };
  const request = new Request({ method: 'POST', headers, query: {}, body: { client_id: client, ...form } });
  await server.handle('pushed_authorization_request', request, response).catch(() => undefined);
  return { status: response.status, body: response.body as Record<string, unknown> };
};

describe('requestObjects()', () => {
  it('uses the signed parameters only, and ignores those in the URL', async () => {
    const { server, store } = await setUp();
    const bent = { scope: 'read write', state: 'bent', redirect_uri: OTHER, response_mode: 'fragment', nonce: 'x' };
    const outcome = await ask(server, {}, bent);
    expect(outcome).toMatchObject(GRANTED);
    expect(outcome.headers['location']).toContain(`${CALLBACK}?code=`);
    expect(await store.getAuthorizationCode(String(outcome.redirected['code']))).toMatchObject({ scope: 'read' });
  });

  it.each([
    ['signed with a key of the client without a `kid`', { header: { kid: undefined } }],
    ['with the type `JWT`', { header: { typ: 'JWT' } }],
    ['with its complete media type', { header: { typ: 'application/oauth-authz-req+jwt' } }],
    ['without a type', { header: { typ: undefined } }],
    ['signed with another algorithm', { header: { alg: 'PS256', kid: 'second' }, key: second.privateKey }],
    ['for several servers', { claims: { aud: [ISSUER, 'https://other.example'] } }],
    ['without a client_id in addition to the issuer', { claims: { client_id: undefined } }],
    ['that becomes valid in a moment', { claims: { nbf: now() + 8, iat: now() + 8, exp: now() + 60 } }],
    ['that expired a moment ago', { claims: { exp: now() - 5 } }],
  ] satisfies [string, Bent][])('accepts a request object %s', async (_, bent) => {
    const { server } = await setUp();
    expect(await ask(server, bent)).toMatchObject(GRANTED);
  });

  it.each([
    ['signed with the key of another client', { key: other.privateKey }],
    ['signed with an unknown key', { header: { kid: 'unknown' } }],
    [
      'signed with the public key as HMAC secret',
      { header: { alg: 'HS256' }, key: new TextEncoder().encode(JSON.stringify(own.jwk)) },
    ],
    ['of another type', { header: { typ: 'at+jwt' } }],
    ['of the type of a DPoP proof', { header: { typ: 'dpop+jwt' } }],
    ['with an unknown critical header', { header: { crit: ['x'], x: 1 } }],
    ['of another issuer', { claims: { iss: 'foreign' } }],
    ['without an issuer', { claims: { iss: undefined } }],
    ['for another server', { claims: { aud: 'https://other.example' } }],
    ['for the authorization endpoint', { claims: { aud: `${ISSUER}/oauth/authorize` } }],
    ['for no audience', { claims: { aud: undefined } }],
    ['that has expired', { claims: { exp: now() - 60 } }],
    ['that is not valid yet', { claims: { nbf: now() + 60 } }],
    ['from the future', { claims: { iat: now() + 60 } }],
    ['with an expiry that is a string', { claims: { exp: 'tomorrow' as never } }],
    ['of another client', { claims: { client_id: 'foreign' } }],
    ['whose client_id is not a string', { claims: { client_id: { toString: 1, valueOf: 1 } } }],
    ['that contains another request object', { claims: { request: 'x' } }],
    ['that refers to another request object', { claims: { request_uri: 'https://app.example/x' } }],
    ['with a subject, like a client assertion', { claims: { sub: 'web' } }],
    ['with a secret', { claims: { client_secret: SECRET } }],
  ] satisfies [string, Bent][])('shows an error in the browser for a request object %s', async (_, bent) => {
    const { server } = await setUp();
    expect(await ask(server, bent)).toMatchObject(REFUSED);
  });

  it('rejects a request object without a signature', async () => {
    const { server } = await setUp();
    const unsigned = new UnsecuredJWT({ ...CLAIMS, iss: 'web', aud: ISSUER }).encode();
    for (const client_id of ['web', 'unsigned']) {
      expect(await visit(server, { client_id, request: unsigned })).toMatchObject(REFUSED);
    }
  });

  it('accepts only the algorithm that the client registered', async () => {
    const { server } = await setUp();
    const claims = { client_id: 'pinned', iss: 'pinned' };
    expect(await ask(server, { claims }, { client_id: 'pinned' })).toMatchObject(REFUSED);
    const right = { claims, header: { alg: 'PS256', kid: 'second' }, key: second.privateKey };
    expect(await ask(server, right, { client_id: 'pinned' })).toMatchObject(GRANTED);
  });

  it.each<[string, (object: string) => object, string]>([
    ['of a client without keys', (request) => ({ client_id: 'keyless', request }), 'invalid_request_object'],
    ['of an unknown client', (request) => ({ client_id: 'nobody', request }), 'invalid_client'],
    ['without a client_id', (request) => ({ client_id: undefined, request }), 'invalid_request'],
    ['that is repeated', (request) => ({ request: [request, request] }), 'invalid_request'],
    [
      'together with a request_uri',
      (request) => ({ request, request_uri: 'https://app.example/x' }),
      'invalid_request',
    ],
    ['that is too long', (request) => ({ request: request + 'x'.repeat(20_000) }), 'invalid_request_object'],
  ])('rejects a request object %s', async (_, query, error) => {
    const { server } = await setUp();
    const outcome = await visit(server, query(await sign()));
    expect(outcome).toMatchObject({ status: 400, redirected: {}, body: { error } });
  });

  it('returns an error in the signed parameters to the client', async () => {
    const { server } = await setUp({ more: [formPost()] });
    const refused = await ask(server, { claims: { scope: 'nonsense' } });
    expect(refused.redirected).toMatchObject({ error: 'invalid_scope', state: 'from the object' });
    expect((await ask(server, { claims: { redirect_uri: 'https://evil.example/' } })).status).toBe(400);
    expect((await ask(server, { claims: { response_mode: 'form_post' } })).status).toBe(200);
  });

  it('uses the response mode of the request object, also a signed one', async () => {
    const { server } = await setUp({
      more: [keys({ from: [{ ...(await exportJWK(own.privateKey)), alg: 'ES256' }] }), jarm()],
    });
    const { redirected } = await ask(server, { claims: { response_mode: 'jwt' } }, { response_mode: 'query' });
    expect(Object.keys(redirected)).toEqual(['response']);
  });

  it('causes no server_error for random signed claims', async () => {
    const { server } = await setUp();
    const name = oneof(constantFrom(...Object.keys(CLAIMS), '__proto__', 'constructor', 'claims', 'max_age'), string());
    await assert(
      asyncProperty(dictionary(name, jsonValue()), async (claims) => {
        const { error, status } = await ask(server, { claims });
        expect([302, 400]).toContain(status);
        expect(error?.name).not.toBe('server_error');
      }),
      { numRuns: 100 },
    );
  });

  it('rejects claims that are nested deeply', async () => {
    const { server } = await setUp();
    const claims = `{"iss":"web","aud":"${ISSUER}","claims":${'['.repeat(6000)}${']'.repeat(6000)}}`;
    const object = new CompactSign(new TextEncoder().encode(claims));
    const request = await object.setProtectedHeader({ alg: 'ES256', kid: 'own' }).sign(own.privateKey);
    expect(request.length).toBeLessThan(16_384);
    const outcome = await visit(server, { request });
    expect([outcome.status, outcome.error?.name]).toEqual([400, 'invalid_request_object']);
  });

  it.each([
    ['in a minute', now() + 60],
    ['in the year 2096', 4e9],
    ['1e20', 1e20],
    ['1e300', 1e300],
  ])('stores a used request object for at most two days if its `exp` is %s', async (_when, exp) => {
    const seconds: number[] = [];
    const { server } = await setUp({ model: { once: (_: string, given: number) => seconds.push(given) > 0 } });
    expect(await ask(server, { claims: { exp } })).toMatchObject(GRANTED);
    expect(seconds).toEqual([expect.any(Number)]);
    expect(seconds[0]! <= 2 * 86_400 && Number.isInteger(seconds[0])).toBe(true);
  });

  it('is not stored without `exp`', async () => {
    const once = jest.fn(() => true);
    const { server } = await setUp({ model: { once } });
    expect(await ask(server, { claims: { exp: undefined } })).toMatchObject(GRANTED);
    expect(once).not.toHaveBeenCalled();
  });

  it('causes no server_error for random text in place of a request object', async () => {
    const { server } = await setUp();
    const parts = oneof(constantFrom('eyJhbGciOiJFUzI1NiJ9', 'e30', '.', '..', '....', '', 'bnVsbA', 'W10'), string());
    await assert(
      asyncProperty(parts, parts, parts, async (head, body, signature) => {
        const { error, status } = await visit(server, { request: `${head}.${body}.${signature}` });
        expect([status, error?.name === 'server_error']).toEqual([400, false]);
      }),
      { numRuns: 200 },
    );
  });

  it('describes its settings in the server metadata', async () => {
    const reported = async (given?: RequestObjectOptions) => {
      const response = new Response();
      const { server } = await setUp({ given });
      await server.handle('server-metadata', new Request({ method: 'GET', headers: {}, query: {} }), response);
      return response.body as object;
    };
    expect(await reported()).toMatchObject({
      request_parameter_supported: true,
      request_uri_parameter_supported: true,
      require_request_uri_registration: true,
      request_object_signing_alg_values_supported: SIGNING_ALGORITHMS,
      require_signed_request_object: false,
    });
    const strict = await reported({ byReference: false, algorithms: ['PS256'], required: true });
    expect(strict).toMatchObject({
      request_uri_parameter_supported: false,
      request_object_signing_alg_values_supported: ['PS256'],
      require_signed_request_object: true,
    });
    expect(strict).not.toHaveProperty('require_request_uri_registration');
  });

  it.each([
    [{ algorithms: ['none'] }, '`algorithms` of `requestObjects()` must be a list of'],
    [{ maxLifetime: Number.NaN }, '`maxLifetime`'],
    [{ maxLifetime: 0 }, '`maxLifetime`'],
    [{ required: 'true' }, '`required` of `requestObjects()` must be true or false'],
    [{ byReference: 'false' }, '`byReference` of `requestObjects()` must be true or false'],
    [{ once: null }, '`once` of `requestObjects()` must be true or false'],
    [{ once: true }, '`once` of `requestObjects()` requires `maxLifetime`'],
    [{ tolerance: 1 }, 'unknown option `tolerance` of `requestObjects()`'],
    [{ fetch: { allow: ['x'] } }, 'in `allow` of `fetch` of `requestObjects()`'],
  ])('rejects the options %p at start-up', (given, sentence) => {
    expect(() => requestObjects(given as never)).toThrow(sentence);
  });
});

describe('an authorization request that must be signed', () => {
  const plain = { ...CLAIMS, state: 'plain' };

  it.each([
    ['every client', { required: true }, 'web'],
    ['a client that registered this', {}, 'signing'],
  ] satisfies [string, RequestObjectOptions, string][])(
    'is accepted signed and rejected unsigned, if a signature is required from %s',
    async (_, given, client_id) => {
      const { server } = await setUp({ given, more: [pushedRequests()] });
      const refused = {
        error: 'invalid_request',
        error_description: 'Invalid request: the authorization request must be signed (RFC 9101)',
      };
      expect((await visit(server, { ...plain, client_id })).redirected).toMatchObject(refused);
      expect(await push(server, { ...plain, client_id }, client_id)).toEqual({ status: 400, body: refused });
      const claims = { client_id, iss: client_id };
      expect(await ask(server, { claims }, { client_id })).toMatchObject(GRANTED);
      const pushed = await push(server, { request: await sign({ claims }) }, client_id);
      expect(pushed.status).toBe(201);
      expect(await visit(server, { client_id, request_uri: pushed.body['request_uri'] })).toMatchObject(GRANTED);
    },
  );

  it('is rejected with an unknown request_uri', async () => {
    const { server } = await setUp({ given: { required: true } });
    const request_uri = `urn:ietf:params:oauth:request_uri:${'0'.repeat(64)}`;
    expect((await visit(server, { ...plain, request_uri })).redirected).toMatchObject({ error: 'invalid_request' });
  });
});

describe('a pushed request object', () => {
  it('needs no other parameter than the credentials of the client', async () => {
    const { server } = await setUp({ more: [pushedRequests()] });
    const { status, body } = await push(server, { request: await sign(), client_id: undefined });
    expect(status).toBe(201);
    expect(await visit(server, { request_uri: body['request_uri'] })).toMatchObject(GRANTED);
    const foreign = await push(server, { request: await sign(), client_id: undefined }, 'foreign');
    expect(foreign).toMatchObject({ status: 400, body: { error: 'invalid_request_object' } });
    const plain = await push(server, { ...CLAIMS, client_id: undefined });
    expect(plain).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('is read when it is pushed, and other parameters are ignored', async () => {
    const { server } = await setUp({ more: [pushedRequests()] });
    const request = await sign({ claims: { exp: now() + 60 } });
    const { status, body } = await push(server, { request, scope: 'write', state: 'beside' });
    expect(status).toBe(201);
    const { request_uri } = body;
    expect(await visit(server, { request_uri, scope: 'write', state: 'bent' })).toMatchObject(GRANTED);
    expect(await visit(server, { request_uri })).toMatchObject({ status: 400 });
  });

  it.each([
    [
      'if its signature is wrong',
      async () => ({ request: await sign({ key: other.privateKey }) }),
      'invalid_request_object',
    ],
    [
      'if it is sent as the reference request_uri',
      async () => ({ request_uri: 'https://app.example/x' }),
      'invalid_request',
    ],
    [
      'if it contains a request_uri',
      async () => ({ request: await sign({ claims: { request_uri: 'urn:x' } }) }),
      'invalid_request_object',
    ],
    [
      'if it is of another client',
      async () => ({ request: await sign({ claims: { iss: 'foreign', client_id: 'foreign' } }) }),
      'invalid_request_object',
    ],
    [
      'if the client may not request its scope',
      async () => ({ request: await sign({ claims: { scope: 'nonsense' } }) }),
      'invalid_scope',
    ],
  ])('is rejected %s', async (_, form, error) => {
    const { server } = await setUp({ more: [pushedRequests()] });
    expect(await push(server, await form())).toMatchObject({ status: 400, body: { error } });
  });

  it('cannot be combined with the request_uri of another request', async () => {
    const { server } = await setUp({ more: [pushedRequests()] });
    const { body } = await push(server, CLAIMS);
    const both = await ask(server, {}, { request_uri: body['request_uri'] });
    expect(both).toMatchObject({ status: 400, redirected: {}, body: { error: 'invalid_request' } });
  });

  it('is optional by default, and rejected by a server without requestObjects()', async () => {
    const { server } = await setUp({ more: [pushedRequests()] });
    expect(await push(server, CLAIMS)).toMatchObject({ status: 201 });
    const { store } = await setUp();
    const without = new OAuth2Server({ model: store, issuer: ISSUER, features: [pushedRequests()], ...signedIn });
    const refused = { status: 400, body: { error: 'request_not_supported' } };
    expect(await push(without, { ...CLAIMS, request: await sign() })).toMatchObject(refused);
  });
});

describe('requestObjects() with fapi2()', () => {
  it('requires a signed pushed request, and signs the response', async () => {
    const byKey = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [own.jwk] } };
    const web = { id: 'web', grants: ['authorization_code'], redirectUris: [CALLBACK], scopes: ['read'], ...byKey };
    const users = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };
    const signing = requestObjects({ required: true, maxLifetime: 3600, algorithms: ['ES256', 'PS256'] });
    const from = [{ ...(await exportJWK(own.privateKey)), alg: 'ES256' }];
    const features = [keys({ from }), jarm(), signing, fapi2()];
    const model = new MemoryStore({ clients: [web], users });
    const server = new OAuth2Server({ model, issuer: ISSUER, features, ...signedIn });
    const pushWith = async (form: object) => {
      const client_assertion = await new SignJWT({ jti: crypto.randomUUID() })
        .setProtectedHeader({ alg: 'ES256', kid: 'own' })
        .setIssuer('web')
        .setSubject('web')
        .setAudience(ISSUER)
        .setExpirationTime('1m')
        .sign(own.privateKey);
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const body = { client_id: 'web', client_assertion, client_assertion_type, ...form };
      const response = new Response();
      const request = new Request({ method: 'POST', headers: FORM, query: {}, body });
      await server.handle('pushed_authorization_request', request, response).catch(() => undefined);
      return response.body as Record<string, unknown>;
    };
    const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256', response_mode: 'jwt' };
    expect(await pushWith({ ...CLAIMS, ...pkce })).toMatchObject({ error: 'invalid_request' });
    const claims = { ...pkce, nbf: now(), exp: now() + 300 };
    const { request_uri } = await pushWith({ request: await sign({ claims }) });
    const { redirected } = await visit(server, { request_uri });
    expect(decodeJwt(String(redirected['response']))).toMatchObject({
      iss: ISSUER,
      aud: 'web',
      code: expect.any(String),
    });
    expect(await ask(server, { claims })).toMatchObject({ status: 400, redirected: {} });
  });
});

describe('the validity period of a request object', () => {
  const given = { maxLifetime: 3600 };
  it.each([
    ['without `nbf`', { exp: now() + 60 }],
    ['without `exp`', { nbf: now() }],
    ['that is valid for too long', { nbf: now(), exp: now() + 3700 }],
    ['that became valid too long ago', { nbf: now() - 3700, exp: now() - 100 }],
  ])('is limited: a request object %s is rejected', async (_, claims) => {
    const { server } = await setUp({ given });
    expect(await ask(server, { claims })).toMatchObject(REFUSED);
  });

  it('is accepted if it is within `maxLifetime`', async () => {
    const { server } = await setUp({ given });
    expect(await ask(server, { claims: { nbf: now() - 3000, exp: now() + 600 } })).toMatchObject(GRANTED);
  });

  it('is extended for a limited time of login once the request object was read', async () => {
    const { server } = await setUp();
    const request = await sign({ claims: { exp: now() + 60 } });
    await server.readAuthorizationRequest(
      new Request({ method: 'GET', headers: {}, query: { client_id: 'web', request } }),
      new Response(),
    );
    await later(300, async () => expect(await visit(server, { request })).toMatchObject(GRANTED));
    await later(1900, async () => expect(await visit(server, { request })).toMatchObject(REFUSED));
  });

  it('is not extended if the model has no once()', async () => {
    const { server } = await setUp({ model: { once: undefined } });
    const request = await sign({ claims: { exp: now() + 60 } });
    expect(await visit(server, { request })).toMatchObject(GRANTED);
    await later(300, async () => expect(await visit(server, { request })).toMatchObject(REFUSED));
  });

  it('allows a single use if the option `once` is true', async () => {
    const { server } = await setUp({ given: { maxLifetime: 3600, once: true }, more: [pushedRequests()] });
    const times = { nbf: now(), exp: now() + 60 };
    expect(await ask(server, { claims: times })).toMatchObject(REFUSED);
    const request = await sign({ claims: { ...times, jti: 'one' } });
    expect(await visit(server, { request })).toMatchObject(GRANTED);
    expect(await visit(server, { request })).toMatchObject({ status: 400, redirected: {} });
    expect(await push(server, { request })).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const another = await sign({ claims: { ...times, jti: 'two' } });
    expect(await push(server, { request: another })).toMatchObject({ status: 201 });
    expect(await visit(server, { request: another })).toMatchObject({ status: 400 });
  });
});

/** Runs a check with the clock of the process moved forward by the given number of seconds. */
async function later(seconds: number, check: () => Promise<unknown>): Promise<void> {
  jest.useFakeTimers({ now: Date.now() + seconds * 1000, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  try {
    await check();
  } finally {
    jest.useRealTimers();
  }
}

describe('registration of a client with request objects', () => {
  it('accepts its algorithm, its request URIs and a requirement to sign', async () => {
    const { server } = await setUp({ more: [registration({ open: true, scopes: ['read'] })] });
    const register = async (more: object) => {
      const body = { redirect_uris: [CALLBACK], scope: 'read', jwks: { keys: [own.jwk] }, ...more };
      const headers = { 'content-type': 'application/json', 'content-length': '1' };
      const response = new Response();
      const request = new Request({ method: 'POST', headers, query: {}, body });
      await server.handle('registration', request, response).catch(() => undefined);
      return { status: response.status, body: response.body as Record<string, unknown> };
    };
    const said = {
      request_object_signing_alg: 'ES256',
      require_signed_request_object: true,
      request_uris: ['https://app.example/request.jwt'],
    };
    const { status, body } = await register(said);
    expect({ status, body }).toMatchObject({ status: 201, body: said });
    const client_id = String(body['client_id']);
    expect((await visit(server, { ...CLAIMS, client_id })).redirected).toMatchObject({ error: 'invalid_request' });
    expect(await ask(server, { claims: { client_id, iss: client_id } }, { client_id })).toMatchObject(GRANTED);
    for (const bad of [
      { request_object_signing_alg: 'none' },
      { require_signed_request_object: 'true' },
      { request_uris: ['http://app.example/request.jwt'] },
      { request_uris: ['https://127.0.0.1/request.jwt'] },
      { request_uris: 'https://app.example/request.jwt' },
    ]) {
      expect(await register(bad)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    }
  });
});

describe('a server without requestObjects()', () => {
  it.each([
    ['request', 'request_not_supported'],
    ['request_uri', 'request_uri_not_supported'],
  ])('responds to the parameter `%s` with the error %s, sent to the client', async (parameter, error) => {
    const { store } = await setUp();
    const server = new OAuth2Server({ model: store, ...signedIn });
    const { redirected } = await visit(server, { ...CLAIMS, [parameter]: 'https://app.example/x' });
    expect(redirected).toMatchObject({ error, state: 'from the object' });
  });
});
