import { generateKeyPairSync, hash, type KeyObject } from 'node:crypto';

import { describe, expect, it, jest } from '@jest/globals';
import { calculateJwkThumbprint, decodeJwt, type JWK, SignJWT } from 'jose';
import { introspection, pushedRequests, serverMetadata, tokenExchange, type Feature } from 'nest-oauth2/features';
import { dpop, type DpopOptions, jwtAccessTokens, JwtTokens, keys } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { SIGNING_ALGORITHMS } from '../../support/keys/algorithms.js';
import { runOperation, basic, CHALLENGE, FORM, resourceRequest, VERIFIER } from '../../support/clients/requests.js';
import { rsaPair } from '../../support/keys/rsa-key.js';

const ISSUER = 'https://id.example.com';
const TOKEN = `${ISSUER}/oauth/token`;
const PAR = `${ISSUER}/oauth/par`;
const NOTES = `${ISSUER}/notes`;
const SECRET = 'secret-of-the-client-web';
const CALLBACK = 'https://app.example/cb';
const alice = { id: 'alice' };

interface Key {
  privateKey: KeyObject;
  jwk: JWK;
  jkt: string;
}

async function newKey(): Promise<Key> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  return { privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) };
}

interface Bent {
  header?: object;
  claims?: object;
  signer?: KeyObject | Uint8Array;
}

let count = 0;
const now = () => Math.floor(Date.now() / 1000);

/** Creates a valid DPoP proof, except for the given changes. */
const prove = (
  { jwk, privateKey }: Key,
  htu: string,
  { header, claims, signer = privateKey }: Bent = {},
  htm = 'POST',
) =>
  new SignJWT({ jti: `proof-${++count}`, htm, htu, iat: now(), ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk, ...header })
    .sign(signer);

const athOf = (token: string) => hash('sha256', token, 'base64url');

/** Creates a valid DPoP proof for a protected resource, except for the given changes. */
const show = (key: Key, token: string, { claims, ...bent }: Bent = {}, htu = NOTES) =>
  prove(key, htu, { ...bent, claims: { ath: athOf(token), ...claims } }, 'GET');

interface Setup {
  given?: DpopOptions;
  model?: object;
  more?: readonly Feature[];
  options?: object;
}

/** The clients are created once, because hashing their secrets takes time. */
let common: Promise<MemoryStore> | undefined;

async function newStore(): Promise<MemoryStore> {
  const users = { findById: (id: string) => (id === 'alice' ? alice : undefined), findByCredentials: () => undefined };
  const store = new MemoryStore({ clients: [], users });
  const grants = ['authorization_code', 'refresh_token', 'client_credentials', EXCHANGE];
  const known = { grants, redirectUris: [CALLBACK], scopes: ['read', 'write'], defaultScope: ['read'] };
  await store.saveClient({ id: 'web', secret: SECRET, ...known });
  await store.saveClient({ id: 'strict', secret: SECRET, ...known, dpopBoundAccessTokens: true });
  const ofPublic = grants.filter((grant) => grant !== 'client_credentials');
  await store.saveClient({ id: 'spa', tokenEndpointAuthMethod: 'none', ...known, grants: ofPublic });
  return store;
}

async function setUp({ given, model, more = [], options = {} }: Setup = {}) {
  const store = model ? Object.assign(await newStore(), model) : await (common ??= newStore());
  const features = [dpop(given), introspection(), pushedRequests(), serverMetadata(), tokenExchange(), ...more];
  const server = new OAuth2Server({ model: store, issuer: ISSUER, features, ...options });
  const post = async (
    endpoint: string,
    body: object,
    { proof, client = 'web' }: { proof?: string; client?: string } = {},
  ) => {
    const response = new Response();
    const isPublic = client === 'spa';
    const headers = {
      ...FORM,
      ...(!isPublic && { authorization: basic(client, SECRET) }),
      ...(proof && { dpop: proof }),
    };
    const whole = isPublic || endpoint === PUSH ? { client_id: client, ...body } : body;
    const request = new Request({ method: 'POST', headers, query: {}, body: whole });
    const call = endpoint === 'token' ? server.token(request, response) : server.handle(endpoint, request, response);
    await call.catch(() => undefined);
    return { status: response.status, headers: response.headers, body: response.body as Record<string, string> };
  };
  const code = async (query: object = {}, client = 'spa') => {
    const response = new Response();
    const requested = { response_type: 'code', client_id: client, redirect_uri: CALLBACK, state: 'xyz', scope: 'read' };
    const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const request = new Request({
      method: 'GET',
      headers: {},
      query: { ...requested, ...challenge, ...query },
      body: {},
    });
    await server.authorize(request, response, { authenticateHandler: { handle: () => alice } }).catch(() => undefined);
    const landed = new URL(String(response.headers['location'])).searchParams;
    return Object.fromEntries(landed) as Record<string, string>;
  };
  const redeem = async (proof: string | undefined, query: object = {}, client = 'spa') => {
    const { code: value } = await code(query, client);
    const body = { grant_type: 'authorization_code', code: value, redirect_uri: CALLBACK, code_verifier: VERIFIER };
    return await post('token', body, { ...(proof !== undefined && { proof }), client });
  };
  /** Obtains an access token that is bound to the key. */
  const bound = async (key: Key) =>
    (await post('token', SELF, { proof: await prove(key, TOKEN) })).body['access_token']!;
  const call = (token: string, proof?: unknown, scheme = 'DPoP', changes: object = {}, to = server) =>
    runOperation(to, 'authenticate', new Request(requestOf(`${scheme} ${token}`, proof, changes)));
  return { server, store, post, code, redeem, bound, call };
}

const requestOf = (authorization: string, proof: unknown, changes: object) => ({
  method: 'GET',
  query: {},
  headers: { authorization, ...(proof !== undefined && { dpop: proof }) },
  url: '/notes',
  ...changes,
});

const SELF = { grant_type: 'client_credentials', scope: 'read' };
const PUSH = 'pushed_authorization_request';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const refusedProof = { status: 400, body: { error: 'invalid_dpop_proof' } };

describe('a DPoP proof at the token endpoint (RFC 9449)', () => {
  it('binds the access token to its key, as the response and introspection show', async () => {
    const { post } = await setUp();
    const key = await newKey();
    const { status, body } = await post('token', SELF, { proof: await prove(key, TOKEN) });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { token_type: 'DPoP', access_token: expect.any(String) },
    });
    const said = await post('introspection', { token: body['access_token'] });
    expect(said.body).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: key.jkt } });
  });

  it('is optional by default', async () => {
    const { post, call } = await setUp();
    const { body } = await post('token', SELF);
    expect(body['token_type']).toBe('Bearer');
    expect(await call(body['access_token']!, undefined, 'Bearer')).toMatchObject({ status: 200 });
  });

  it('is required for a client with `dpopBoundAccessTokens`', async () => {
    const { post, code } = await setUp();
    const missing = { status: 400, body: { error: 'invalid_request' } };
    expect(await post('token', SELF, { client: 'strict' })).toMatchObject(missing);
    const proof = await prove(await newKey(), TOKEN);
    expect(await post('token', SELF, { client: 'strict', proof })).toMatchObject({ body: { token_type: 'DPoP' } });
    expect(await code({ response_type: 'token' }, 'strict')).not.toHaveProperty('access_token');
  });

  it('can be signed with each type of key that is supported', async () => {
    const { post } = await setUp();
    const pairs = {
      RS256: rsaPair,
      PS256: rsaPair,
      EdDSA: generateKeyPairSync('ed25519'),
      Ed25519: generateKeyPairSync('ed25519'),
    };
    for (const [alg, { privateKey, publicKey }] of Object.entries(pairs)) {
      const jwk = publicKey.export({ format: 'jwk' }) as JWK;
      const proof = await prove({ privateKey, jwk, jkt: '' }, TOKEN, { header: { alg } });
      expect(await post('token', SELF, { proof })).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
    }
  });

  const claims: [string, object][] = [
    ['is for another URL', { htu: `${ISSUER}/oauth/revoke` }],
    ['is for another host', { htu: 'https://evil.example/oauth/token' }],
    ['is for a host that only begins with the right one', { htu: 'https://id.example.com.evil.example/oauth/token' }],
    ['is for a URL with the right host as its user name', { htu: 'https://id.example.com@evil.example/oauth/token' }],
    ['has credentials in its URL', { htu: 'https://a:b@id.example.com/oauth/token' }],
    ['is for another port', { htu: 'https://id.example.com:8443/oauth/token' }],
    ['is for http in place of https', { htu: 'http://id.example.com/oauth/token' }],
    ['is for a path in another case', { htu: `${ISSUER}/OAuth/token` }],
    ['is for a path with an additional slash', { htu: `${TOKEN}/` }],
    ['is for a URL with an additional slash', { htu: 'https:///id.example.com/oauth/token' }],
    ['is for a URL with backslashes', { htu: 'https://id.example.com\\oauth\\token' }],
    ['is for a path with an escaped slash', { htu: `${ISSUER}/oauth%2Ftoken` }],
    ['is for a path in place of a URL', { htu: '/oauth/token' }],
    ['is for a list of URLs', { htu: [TOKEN] }],
    ['is for another HTTP method', { htm: 'GET' }],
    ['is for an HTTP method in lower case', { htm: 'post' }],
    ['has no HTTP method', { htm: undefined }],
    ['is two minutes old', { iat: now() - 120 }],
    ['is from the future', { iat: now() + 60 }],
    ['has no `iat`', { iat: undefined }],
    ['has a string as `iat`', { iat: String(now()) }],
    ['has expired', { exp: now() - 60 }],
    ['has no `jti`', { jti: undefined }],
    ['has an empty `jti`', { jti: '' }],
    ['has a number as `jti`', { jti: 7 }],
  ];
  it.each(claims)('is rejected with invalid_dpop_proof if it %s', async (_, bent) => {
    const { post } = await setUp();
    const proof = await prove(await newKey(), TOKEN, { claims: bent });
    expect(await post('token', SELF, { proof })).toMatchObject(refusedProof);
  });

  it.each([
    'HTTPS://ID.Example.COM/oauth/token',
    'https://id.example.com:443/oauth/token',
    `${TOKEN}?a=b#c`,
    `${ISSUER}/oauth/%74oken`,
    `${ISSUER}/x/../oauth/token`,
  ])('is accepted if its `htu` spells the URL differently: %s', async (htu) => {
    const { post } = await setUp();
    expect(await post('token', SELF, { proof: await prove(await newKey(), htu) })).toMatchObject({ status: 200 });
  });

  it.each([
    ['its header is invalid', false],
    ['its header is invalid and the server accepted proofs of the same keys before', true],
  ])('is rejected if %s', async (_, areKnown) => {
    const { post } = await setUp();
    const key = await newKey();
    const other = await newKey();
    for (const known of areKnown ? [key, other] : [])
      expect(await post('token', SELF, { proof: await prove(known, TOKEN) })).toMatchObject({ status: 200 });
    const whole = key.privateKey.export({ format: 'jwk' }) as JWK;
    const secret = new Uint8Array(32).fill(7);
    const oct = { kty: 'oct', k: Buffer.from(secret).toString('base64url') };
    const [, body] = (await prove(key, TOKEN)).split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'dpop+jwt', jwk: key.jwk })).toString('base64url');
    const rsa = { kty: 'RSA', n: 'A'.repeat(8000), e: 'AQAB' };
    const proofs = {
      'private key': prove(key, TOKEN, { header: { jwk: whole } }),
      'other type': prove(key, TOKEN, { header: { typ: 'JWT' } }),
      'no type': prove(key, TOKEN, { header: { typ: undefined } }),
      'no key': prove(key, TOKEN, { header: { jwk: undefined } }),
      'key of another': prove(key, TOKEN, { header: { jwk: other.jwk } }),
      'key that is text': prove(key, TOKEN, { header: { jwk: 'key' } }),
      'key of a prototype': prove(key, TOKEN, { header: { jwk: { kty: 'constructor' } } }),
      'no point of the curve': prove(key, TOKEN, { header: { jwk: { ...key.jwk, x: 'AAAA' } } }),
      'other curve': prove(key, TOKEN, { header: { jwk: { ...key.jwk, crv: 'P-384' } } }),
      'huge key': prove(key, TOKEN, { header: { jwk: rsa } }),
      HS256: prove(key, TOKEN, { header: { alg: 'HS256', jwk: key.jwk }, signer: secret }),
      'HS256 with its secret': prove(key, TOKEN, { header: { alg: 'HS256', jwk: oct }, signer: secret }),
      none: `${none}.${body}.`,
      'none with a signature': `${none}.${body}.AAAA`,
      critical: `${Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'dpop+jwt', jwk: key.jwk, crit: ['x'], x: 1 })).toString('base64url')}.${body}.AAAA`,
      'no JWT': 'proof',
      'no JSON': 'AAAA.AAAA.AAAA',
      empty: ' ',
      'too long': `${'A'.repeat(9000)}.A.A`,
      two: `${await prove(key, TOKEN)}, ${await prove(key, TOKEN)}`,
    };
    for (const [name, proof] of Object.entries(proofs)) {
      expect({ name, ...(await post('token', SELF, { proof: await proof })) }).toMatchObject({ name, ...refusedProof });
    }
  });

  it('is rejected with an algorithm that the server does not accept', async () => {
    const { post } = await setUp({ given: { algorithms: ['EdDSA'] } });
    expect(await post('token', SELF, { proof: await prove(await newKey(), TOKEN) })).toMatchObject(refusedProof);
  });

  it('is accepted only once, even if it is sent several times concurrently', async () => {
    const { post } = await setUp();
    const proof = await prove(await newKey(), TOKEN);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post('token', SELF, { proof })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body['error'] === 'invalid_dpop_proof')).toHaveLength(4);
  });

  it('is stored as used only after the grant of a public client was validated', async () => {
    const { store, post, redeem } = await setUp({ model: {} });
    const once = jest.spyOn(store, 'once');
    const proof = await prove(await newKey(), TOKEN);
    const guesses = [
      { grant_type: 'authorization_code', code: 'a guess', redirect_uri: CALLBACK, code_verifier: VERIFIER },
      { grant_type: 'refresh_token', refresh_token: 'a guess' },
    ];
    for (const guess of guesses) {
      expect(await post('token', guess, { proof, client: 'spa' })).toMatchObject({ body: { error: 'invalid_grant' } });
    }
    expect(once).not.toHaveBeenCalled();
    expect(await redeem(proof)).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
    expect(once).toHaveBeenCalledTimes(1);
    expect(await redeem(proof)).toMatchObject(refusedProof);
  });

  it('can have the same `jti` as a proof of another key', async () => {
    const { post } = await setUp();
    const same = { claims: { jti: 'same' } };
    expect(await post('token', SELF, { proof: await prove(await newKey(), TOKEN, same) })).toMatchObject({
      status: 200,
    });
    expect(await post('token', SELF, { proof: await prove(await newKey(), TOKEN, same) })).toMatchObject({
      status: 200,
    });
  });

  it('causes server_error if the model does not store the binding of the token', async () => {
    const saveToken = (token: Record<string, unknown>, client: object, user: object) => ({
      ...token,
      cnf: undefined,
      client,
      user,
    });
    const { post } = await setUp({ model: { saveToken } });
    const proof = await prove(await newKey(), TOKEN);
    expect(await post('token', SELF, { proof })).toMatchObject({ status: 503, body: { error: 'server_error' } });
  });
});

describe('a refresh token issued with a DPoP proof', () => {
  const refresh = (refresh_token: string | undefined) => ({ grant_type: 'refresh_token', refresh_token });

  it('is accepted from a public client only with a proof of the same key', async () => {
    const { post, redeem } = await setUp();
    const [key, thief] = [await newKey(), await newKey()];
    const { body } = await redeem(await prove(key, TOKEN));
    const stolen = refresh(body['refresh_token']);
    const gone = { status: 400, body: { error: 'invalid_grant' } };
    expect(await post('token', stolen, { client: 'spa', proof: await prove(thief, TOKEN) })).toMatchObject(gone);
    expect(await post('token', stolen, { client: 'spa' })).toMatchObject(gone);
    const next = await post('token', stolen, { client: 'spa', proof: await prove(key, TOKEN) });
    expect(next).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
    const again = refresh(next.body['refresh_token']);
    expect(await post('token', again, { client: 'spa', proof: await prove(thief, TOKEN) })).toMatchObject(gone);
  });

  it('is accepted from a confidential client with another key, and binds the new access token to that key', async () => {
    const { post, redeem } = await setUp();
    const [key, next] = [await newKey(), await newKey()];
    const { body } = await redeem(await prove(key, TOKEN), {}, 'web');
    const { body: second } = await post('token', refresh(body['refresh_token']), { proof: await prove(next, TOKEN) });
    expect(second).toMatchObject({ token_type: 'DPoP' });
    const said = await post('introspection', { token: second['access_token'] });
    expect(said.body).toMatchObject({ cnf: { jkt: next.jkt } });
  });

  it('returns the same tokens to a retry of a public client only with a proof of the same key', async () => {
    const { post, redeem } = await setUp({ options: { refreshTokenReuseInterval: 60 } });
    const [key, thief] = [await newKey(), await newKey()];
    const { body } = await redeem(await prove(key, TOKEN));
    const again = refresh(body['refresh_token']);
    const first = await post('token', again, { client: 'spa', proof: await prove(key, TOKEN) });
    const gone = { status: 400, body: { error: 'invalid_grant' } };
    const stolen = await post('token', again, { client: 'spa', proof: await prove(thief, TOKEN) });
    expect(stolen).toMatchObject(gone);
    expect(JSON.stringify(stolen)).not.toContain(first.body['access_token']);
    expect(await post('token', again, { client: 'spa' })).toMatchObject(gone);
    const retry = await prove(key, TOKEN);
    expect(await post('token', again, { client: 'spa', proof: retry })).toMatchObject({
      status: 200,
      body: { access_token: first.body['access_token'], token_type: 'DPoP' },
    });
    expect(await post('token', again, { client: 'spa', proof: retry })).toMatchObject(refusedProof);
  });
});

describe('the parameter `dpop_jkt`', () => {
  it('binds the authorization code to a key', async () => {
    const { redeem } = await setUp();
    const [key, thief] = [await newKey(), await newKey()];
    const gone = { status: 400, body: { error: 'invalid_grant' } };
    expect(await redeem(await prove(thief, TOKEN), { dpop_jkt: key.jkt })).toMatchObject(gone);
    expect(await redeem(undefined, { dpop_jkt: key.jkt })).toMatchObject(gone);
    expect(await redeem(await prove(key, TOKEN), { dpop_jkt: key.jkt })).toMatchObject({ status: 200 });
  });

  it('is rejected if it is not a thumbprint', async () => {
    const { code } = await setUp();
    expect(await code({ dpop_jkt: 'key' })).toMatchObject({ error: 'invalid_request' });
  });

  it('can be pushed as a parameter, as a proof, or as both if they match', async () => {
    const { post, redeem } = await setUp();
    const [key, other] = [await newKey(), await newKey()];
    const requested = {
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: 'read',
      state: 'xyz',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    };
    const by = (jkt?: string, proof?: string) =>
      post(PUSH, { ...requested, ...(jkt && { dpop_jkt: jkt }) }, { client: 'spa', ...(proof && { proof }) });
    const ways = [
      await by(key.jkt),
      await by(undefined, await prove(key, PAR)),
      await by(key.jkt, await prove(key, PAR)),
    ];
    for (const { status, body } of ways) {
      expect(status).toBe(201);
      const pushed = { request_uri: body['request_uri'] };
      const gone = { status: 400, body: { error: 'invalid_grant' } };
      expect(await redeem(await prove(other, TOKEN), pushed)).toMatchObject(gone);
    }
    const pushed = await by(undefined, await prove(key, PAR));
    const query = { request_uri: pushed.body['request_uri'] };
    expect(await redeem(await prove(key, TOKEN), query)).toMatchObject({ status: 200, body: { token_type: 'DPoP' } });
    expect(await by(other.jkt, await prove(key, PAR))).toMatchObject(refusedProof);
    expect(await by(undefined, await prove(key, TOKEN))).toMatchObject(refusedProof);
  });
});

describe('a DPoP-bound access token', () => {
  const challenged = (error: string) => ({
    status: 401,
    headers: { 'www-authenticate': expect.stringMatching(`^DPoP realm="Service",error="${error}",algs="ES256 .*"$`) },
  });

  it('is accepted with a proof of its key', async () => {
    const { bound, call } = await setUp();
    const key = await newKey();
    const token = await bound(key);
    expect(await call(token, await show(key, token))).toMatchObject({ status: 200 });
    expect(await call(token, await show(key, token), 'dpop')).toMatchObject({ status: 200 });
  });

  it('is rejected with the scheme Bearer, like an unbound token with the scheme DPoP', async () => {
    const { bound, call, post } = await setUp();
    const key = await newKey();
    const token = await bound(key);
    for (const proof of [undefined, await show(key, token)]) {
      expect(await call(token, proof, 'Bearer')).toMatchObject({
        status: 401,
        headers: {
          'www-authenticate': expect.stringMatching(/^Bearer realm="Service",error="invalid_token", DPoP algs="ES256/),
        },
      });
    }
    const free = (await post('token', SELF)).body['access_token']!;
    expect(await call(free, await show(key, free))).toMatchObject(challenged('invalid_token'));
    const request = new Request({
      ...requestOf('', undefined, {}),
      method: 'POST',
      headers: FORM,
      body: { access_token: token },
    });
    expect(await runOperation((await setUp()).server, 'authenticate', request)).toMatchObject({ status: 401 });
  });

  it('is rejected without a proof, or with a wrong one', async () => {
    const { bound, call } = await setUp();
    const [key, thief] = [await newKey(), await newKey()];
    const token = await bound(key);
    const other = await bound(key);
    const proofs = [
      undefined,
      '',
      await show(thief, token),
      await show(key, token, { header: { jwk: thief.jwk } }),
      await show(thief, token, { header: { jwk: key.jwk } }),
      await show(key, other),
      await show(key, token, { claims: { ath: undefined } }),
      await show(key, token, {}, `${ISSUER}/notes/1`),
      await show(key, token, {}, 'https://evil.example/notes'),
      await show(key, token, { claims: { htm: 'POST' } }),
      await show(key, token, { claims: { iat: now() - 120 } }),
      `${await show(key, token)}, ${await show(key, token)}`,
    ];
    for (const proof of proofs) expect(await call(token, proof)).toMatchObject(challenged('invalid_dpop_proof'));
  });

  it('is accepted only once with the same proof, even in concurrent requests', async () => {
    const { bound, call } = await setUp();
    const key = await newKey();
    const token = await bound(key);
    const proof = await show(key, token);
    const answers = await Promise.all([1, 2, 3].map(() => call(token, proof)));
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
  });

  it('is accepted again with the same proof on the connection that the proof opened', async () => {
    const { bound, server } = await setUp();
    const key = await newKey();
    const token = await bound(key);
    const dpopProof = await show(key, token);
    const handshake = {};
    const look = (native: object) =>
      runOperation(server, 'authenticate', new Request(requestOf(`DPoP ${token}`, dpopProof, { native })));
    for (const status of [200, 200]) expect(await look({ url: '/notes', handshake })).toMatchObject({ status });
    expect(await look({ url: '/notes', handshake: {} })).toMatchObject({ status: 401 });
  });

  it('is rejected as a Bearer token by a server without dpop()', async () => {
    const { bound, store, call } = await setUp();
    const key = await newKey();
    const token = await bound(key);
    const api = new OAuth2Server({ model: store, issuer: ISSUER });
    expect(await call(token, undefined, 'Bearer', {}, api)).toMatchObject({
      status: 401,
      error: { name: 'invalid_token' },
    });
  });

  it('is rejected in a message that was not sent by HTTP', async () => {
    const { bound, call } = await setUp();
    const token = await bound(await newKey());
    expect(await call(token, undefined, 'DPoP', { method: 'POST', url: '/' })).toMatchObject(
      challenged('invalid_dpop_proof'),
    );
  });

  it('can be exchanged only with a proof of its key', async () => {
    const { bound, post } = await setUp();
    const [key, thief] = [await newKey(), await newKey()];
    const type = 'urn:ietf:params:oauth:token-type:access_token';
    const body = { grant_type: EXCHANGE, subject_token: await bound(key), subject_token_type: type };
    expect(await post('token', body)).toMatchObject({ status: 400 });
    expect(await post('token', body, { proof: await prove(thief, TOKEN) })).toMatchObject({ status: 400 });
    const { body: said } = await post('token', body, { proof: await prove(key, TOKEN) });
    expect(said).toMatchObject({ token_type: 'DPoP', access_token: expect.any(String) });
  });
});

describe('one `dpop()` value in two servers', () => {
  const models = [
    ['a model that remembers proofs', (store: MemoryStore) => store],
    [
      'a model without `once()`',
      (store: MemoryStore) => ({ getAccessToken: (text: string) => store.getAccessToken(text) }),
    ],
  ] as const;

  /** Returns a token, and a function that presents it with a proof at the first or the second server. */
  async function share(modelOf: (store: MemoryStore) => object, features: readonly [Feature, Feature]) {
    const { bound, store } = await setUp();
    const key = await newKey();
    const token = await bound(key);
    const model = modelOf(store) as MemoryStore;
    const servers = features.map((feature) => new OAuth2Server({ model, issuer: ISSUER, features: [feature] }));
    const present = async (at: 0 | 1, native: object, proof: string, value = token) => {
      const request = new Request(requestOf(`DPoP ${value}`, proof, { native }));
      return (await runOperation(servers[at]!, 'authenticate', request)).status;
    };
    return { bound, key, token, present };
  }

  it.each(models)('accepts one proof for one request at both servers: %s', async (_, modelOf) => {
    const shared = dpop();
    const { key, token, present } = await share(modelOf, [shared, shared]);
    const [native, proof] = [{ url: '/notes' }, await show(key, token)];
    expect(await present(0, native, proof)).toBe(200);
    expect(await present(1, native, proof)).toBe(200);
    expect(await present(0, native, proof)).toBe(200);
  });

  it.each(models)('accepts one proof for one request at both servers at the same time: %s', async (_, modelOf) => {
    const shared = dpop();
    const { key, token, present } = await share(modelOf, [shared, shared]);
    const [native, proof] = [{ url: '/notes' }, await show(key, token)];
    expect(await Promise.all([present(0, native, proof), present(1, native, proof)])).toEqual([200, 200]);
  });

  it.each(models)('rejects a replayed proof at the second server: %s', async (_, modelOf) => {
    const shared = dpop();
    const { key, token, present } = await share(modelOf, [shared, shared]);
    const proof = await show(key, token);
    expect(await present(0, { url: '/notes' }, proof)).toBe(200);
    expect(await present(1, { url: '/notes' }, proof)).toBe(401);
    expect(await present(0, { url: '/notes' }, proof)).toBe(401);
  });

  it.each(models)('rejects another token with the proof at the second server: %s', async (_, modelOf) => {
    const shared = dpop();
    const { bound, key, token, present } = await share(modelOf, [shared, shared]);
    const [native, proof] = [{ url: '/notes' }, await show(key, token)];
    expect(await present(0, native, proof)).toBe(200);
    expect(await present(1, native, proof, await bound(key))).toBe(401);
  });

  it('rejects a proof that was used at another server with a separate `dpop()` value', async () => {
    const { key, token, present } = await share((store) => store, [dpop(), dpop()]);
    const [native, proof] = [{ url: '/notes' }, await show(key, token)];
    expect(await present(0, native, proof)).toBe(200);
    expect(await present(1, native, proof)).toBe(401);
  });
});

describe('a separate resource server with dpop()', () => {
  it('accepts JWT access tokens with a proof, and rejects a replayed proof', async () => {
    const from = [
      { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), kid: 'k' },
    ];
    const { bound, call, server } = await setUp({ more: [keys({ from }), jwtAccessTokens()] });
    const key = await newKey();
    const token = await bound(key);
    expect(decodeJwt(token)).toMatchObject({ cnf: { jkt: key.jkt } });
    const response = new Response();
    await server.handle('jwks', new Request({ method: 'GET', headers: {}, query: {} }), response);
    const model = new JwtTokens({ issuer: ISSUER, audience: ISSUER, jwks: response.body });
    const api = new OAuth2Server({ model, features: [dpop({ publicUrl: 'https://api.example.com/v1' })] });
    const proof = await show(key, token, {}, 'https://api.example.com/v1/notes');
    expect(await call(token, proof, 'DPoP', {}, api)).toMatchObject({ status: 200 });
    expect(await call(token, proof, 'DPoP', {}, api)).toMatchObject({ status: 401 });
    expect(await call(token, await show(key, token), 'DPoP', {}, api)).toMatchObject({ status: 401 });
    expect(await call(token, undefined, 'Bearer', {}, api)).toMatchObject({ status: 401 });
    const careless = new OAuth2Server({ model });
    expect(await call(token, undefined, 'Bearer', {}, careless)).toMatchObject({ status: 401 });
  });

  it('takes its URL from the request only if `publicUrl` is `request`', async () => {
    const { bound, store, call } = await setUp();
    const key = await newKey();
    const token = await bound(key);
    const api = new OAuth2Server({ model: store, issuer: ISSUER, features: [dpop({ publicUrl: 'request' })] });
    const native = { url: '/notes?page=1', protocol: 'https', host: 'api.example.com:8443' };
    const proof = await show(key, token, {}, 'https://api.example.com:8443/notes');
    expect(await call(token, proof, 'DPoP', { native }, api)).toMatchObject({ status: 200 });
  });
});

describe('nonces of dpop()', () => {
  const secret = 'a secret of thirty-two characters';

  it('are issued, required, and accepted for a limited time by each process that has the secret', async () => {
    const { post } = await setUp({ given: { nonce: { secret } } });
    const key = await newKey();
    const first = await post('token', SELF, { proof: await prove(key, TOKEN) });
    expect(first).toMatchObject({ status: 400, body: { error: 'use_dpop_nonce' } });
    const nonce = first.headers['dpop-nonce'];
    const other = await setUp({ given: { nonce: { secret: ['another secret, which is as long as that', secret] } } });
    for (const one of [post, other.post]) {
      const proof = await prove(key, TOKEN, { claims: { nonce } });
      expect(await one('token', SELF, { proof })).toMatchObject({
        status: 200,
        headers: { 'dpop-nonce': expect.any(String) },
      });
    }
    const made = { ...SELF };
    for (const wrong of ['x', 7, ['a'], `${nonce}x`]) {
      const proof = await prove(key, TOKEN, { claims: { nonce: wrong } });
      expect(await post('token', made, { proof })).toMatchObject({ body: { error: 'use_dpop_nonce' } });
    }
    jest.useFakeTimers({
      now: Date.now() + 601_000,
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'],
    });
    try {
      const proof = await prove(key, TOKEN, { claims: { nonce } });
      expect(await post('token', SELF, { proof })).toMatchObject({ body: { error: 'use_dpop_nonce' } });
    } finally {
      jest.useRealTimers();
    }
  });

  it('are also required by protected resources', async () => {
    const { call, post } = await setUp({ given: { nonce: { secret } } });
    const key = await newKey();
    const refused = await post('token', SELF, { proof: await prove(key, TOKEN) });
    const nonce = refused.headers['dpop-nonce'];
    const { body } = await post('token', SELF, { proof: await prove(key, TOKEN, { claims: { nonce } }) });
    const token = body['access_token']!;
    expect(await call(token, await show(key, token))).toMatchObject({
      status: 401,
      error: { name: 'use_dpop_nonce' },
      headers: {
        'dpop-nonce': nonce,
        'www-authenticate': expect.stringMatching(/^DPoP realm="Service",error="use_dpop_nonce",algs="ES256/),
      },
    });
    const proof = await show(key, token, { claims: { nonce } });
    expect(await call(token, proof)).toMatchObject({ status: 200, headers: { 'dpop-nonce': nonce } });
  });
});

describe('a request without an access token', () => {
  it('receives a challenge for Bearer and for DPoP', async () => {
    const { server } = await setUp();
    const { headers } = await runOperation(server, 'authenticate', resourceRequest(null));
    expect(headers['www-authenticate']).toBe(`Bearer realm="Service", DPoP algs="${SIGNING_ALGORITHMS.join(' ')}"`);
  });
});

describe('dpop()', () => {
  it.each([
    [{ algorithms: ['HS256'] }, /`algorithms` of `dpop\(\)` must be a list of ES256/],
    [{ lifetime: 0 }, /`lifetime` of `dpop\(\)` must be a number of seconds/],
    [{ clockTolerance: -1 }, /`clockTolerance`/],
    [{ publicUrl: 'http://api.example.com' }, /`publicUrl` of `dpop\(\)` must be 'request' or an https URL/],
    [{ nonce: { secret: 'short' } }, /`secret` in `nonce` of `dpop\(\)` must be a text of at least 32/],
    [{ nonces: {} }, /unknown option `nonces` of `dpop\(\)`/],
  ])('rejects the options %j at start-up', (options, sentence) => {
    expect(() => dpop(options as never)).toThrow(sentence);
  });

  it('rejects a server without `issuer`, and a model without once(), at start-up', () => {
    const model = new MemoryStore({ clients: [], users: { findById: () => undefined } });
    expect(() => new OAuth2Server({ model, features: [dpop()] })).toThrow(/Set the option `issuer`, or `publicUrl`/);
    const forgetful = Object.assign(Object.create(model) as typeof model, { once: undefined });
    expect(() => new OAuth2Server({ model: forgetful, issuer: ISSUER, features: [dpop()] })).toThrow(/`once\(\)`/);
  });

  it('lists its signature algorithms in the server metadata', async () => {
    const { server } = await setUp({ given: { algorithms: ['ES256'] } });
    const response = new Response();
    await server.handle('server-metadata', new Request({ method: 'GET', headers: {}, query: {} }), response);
    expect(response.body).toMatchObject({ dpop_signing_alg_values_supported: ['ES256'] });
  });
});
