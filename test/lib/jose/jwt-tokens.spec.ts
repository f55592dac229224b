import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { JwtTokens, type JwtTokensOptions } from 'nest-oauth2/jose';
import { InvalidArgumentError, isClientItself, OAuth2Server, type OAuthError } from 'nest-oauth2/server';

import { SIGNING_ALGORITHMS } from '../../support/keys/algorithms.js';
import { IntrospectionServer, json } from '../../support/servers/introspection-server.js';
import { runOperation, resourceRequest } from '../../support/clients/requests.js';
import { waitUntil } from '../../support/environment/wait-until.js';

const AUDIENCE = 'https://notes.example.com';
const JWKS = '/jwks';
const remote = new IntrospectionServer();
const now = () => Math.floor(Date.now() / 1000);

type Pair = Awaited<ReturnType<typeof pairOf>>;

async function pairOf(alg: string, kid?: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, publicKey, privateKey, jwk: { ...(await exportJWK(publicKey)), alg, ...(kid && { kid }) } };
}

let es256: Pair;
let other: Pair;
let warnings: jest.SpiedFunction<typeof process.emitWarning>;

beforeAll(async () => {
  await remote.start();
  [es256, other] = [await pairOf('ES256', 'one'), await pairOf('ES256', 'two')];
});
afterAll(() => remote.stop());
beforeEach(() => {
  serve(es256);
  warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
});
afterEach(() => {
  jest.restoreAllMocks();
  warnings.mockRestore();
});

/** Makes the authorization server publish these keys. */
function serve(...keys: Pair[]): void {
  remote.reset(undefined, { jwks_uri: `${remote.url}${JWKS}` });
  show(...keys);
}
const show = (...keys: Pair[]) => (remote.replies[JWKS] = json({ keys: keys.map(({ jwk }) => jwk) }));
const requested = () => remote.requestsTo(JWKS).length;

const claimsOf = (claims: object = {}) => ({
  iss: remote.url,
  aud: AUDIENCE,
  sub: 'alice',
  client_id: 'web',
  jti: 'id-of-it',
  iat: now(),
  exp: now() + 60,
  scope: 'read',
  ...claims,
});
const sign = (claims: object = {}, header: object = {}, { alg, kid, privateKey }: Pair = es256) =>
  new SignJWT(claimsOf(claims)).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(privateKey);

const modelOf = (options: Partial<JwtTokensOptions> = {}) =>
  new JwtTokens({ issuer: remote.url, audience: AUDIENCE, ...options });
const call = (model: JwtTokens, token: string, scope?: string) =>
  runOperation(new OAuth2Server({ model }), 'authenticate', resourceRequest(`Bearer ${token}`), scope ? { scope } : {});

const UNKNOWN = { status: 401, error: { name: 'invalid_token' } };
const LATER = { status: 503, error: { name: 'temporarily_unavailable' } };

/** Moves the clock of the cached keys forward by the given number of seconds. */
function later(seconds: number): void {
  jest.spyOn(performance, 'now').mockImplementation(() => real() + seconds * 1000);
}
const real = performance.now.bind(performance);

describe('JwtTokens with a valid JWT access token', () => {
  it('accepts it with all its claims, and fetches the keys of the issuer once', async () => {
    const model = modelOf();
    const exp = now() + 90;
    const token = await sign({ exp, act: { sub: 'bot' } });
    const { status, result } = await call(model, token, 'read');
    expect(status).toBe(200);
    expect(result).toMatchObject({
      accessToken: token,
      accessTokenExpiresAt: new Date((exp + 5) * 1000),
      act: { sub: 'bot' },
      client: { id: 'web', grants: [] },
      resource: [AUDIENCE],
      user: { id: 'alice' },
    });
    await Promise.all([call(model, await sign()), call(model, await sign({ sub: 'bob' }))]);
    expect(remote.received.map(({ path }) => path)).toEqual(['/.well-known/oauth-authorization-server', JWKS]);
  });

  it('returns the client itself as user for a client credentials token', async () => {
    const { result } = await call(modelOf(), await sign({ sub: 'web' }));
    expect(isClientItself(result!['user'] as object)).toBe(true);
  });

  it('rejects it if its scope is insufficient', async () => {
    expect(await call(modelOf(), await sign(), 'write')).toMatchObject({ error: { name: 'insufficient_scope' } });
  });

  it.each(SIGNING_ALGORITHMS)('accepts the algorithm %s if it is listed', async (alg) => {
    const pair = await pairOf(alg, 'key');
    serve(pair);
    expect(await call(modelOf(), await sign({}, {}, pair))).toMatchObject({ status: 200 });
    const [some] = ['ES256', 'RS256'].filter((one) => one !== alg) as ['ES256'];
    expect(await call(modelOf({ algorithms: [some] }), await sign({}, {}, pair))).toMatchObject(UNKNOWN);
  });

  it('verifies it with the keys in the option `jwks` without any request', async () => {
    const model = modelOf({ issuer: 'https://id.example.com', jwks: { keys: [es256.jwk] } });
    expect(await call(model, await sign({ iss: 'https://id.example.com' }))).toMatchObject({ status: 200 });
    expect(remote.received).toEqual([]);
  });

  it('accepts it for several resources that include this one', async () => {
    expect(await call(modelOf(), await sign({ aud: ['https://a.example', AUDIENCE] }))).toMatchObject({ status: 200 });
  });

  it('accepts it within the clock tolerance', async () => {
    const model = modelOf({ clockTolerance: 30 });
    expect(await call(model, await sign({ exp: now() - 20 }))).toMatchObject({ status: 200 });
    expect(await call(model, await sign({ nbf: now() + 20 }))).toMatchObject({ status: 200 });
    const over = await call(model, await sign({ exp: now() - 40 }));
    expect(over).toMatchObject({ status: 401, error: { message: 'Invalid token: access token has expired' } });
    expect(await call(model, await sign({ nbf: now() + 40 }))).toMatchObject(UNKNOWN);
  });

  it('rejects it if the option `isRevoked` returns true', async () => {
    const isRevoked = jest.fn(({ jti }: Readonly<Record<string, unknown>>) => jti === 'ended');
    const model = modelOf({ isRevoked });
    expect(await call(model, await sign({ jti: 'ended' }))).toMatchObject(UNKNOWN);
    expect(await call(model, await sign())).toMatchObject({ status: 200 });
    expect(isRevoked).toHaveBeenCalledTimes(2);
  });

  it('finds its key among keys without a `kid`', async () => {
    const pairs = [await pairOf('ES256'), await pairOf('ES256'), await pairOf('ES256')];
    serve(...pairs);
    const model = modelOf();
    expect(await call(model, await sign({}, { kid: undefined }, pairs[2]))).toMatchObject({ status: 200 });
    expect(await call(model, await sign({}, { kid: undefined }, other))).toMatchObject(UNKNOWN);
  });
});

describe('JwtTokens with an access token that it accepted before', () => {
  it('rejects it after its expiry', async () => {
    const model = modelOf({ clockTolerance: 0 });
    const token = await sign({ exp: now() + 5 });
    expect((await call(model, token)).status).toBe(200);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 6000);
    expect(await call(model, token)).toMatchObject(UNKNOWN);
  });

  it('rejects it if its key was replaced by another key with the same `kid`', async () => {
    const model = modelOf();
    const token = await sign();
    expect((await call(model, token)).status).toBe(200);
    const replacement = { ...other, kid: 'one', jwk: { ...other.jwk, kid: 'one' } };
    show(replacement);
    later(601);
    const signedAgain = await sign({}, {}, replacement);
    await waitUntil(async () => (await call(model, signedAgain)).status === 200);
    expect(await call(model, token)).toMatchObject(UNKNOWN);
  });

  it('rejects its claims with another signature, and its signature with other claims', async () => {
    const model = modelOf();
    const [token, second] = [await sign({ sub: 'alice' }), await sign({ sub: 'bob' })];
    for (const accepted of [token, second]) expect((await call(model, accepted)).status).toBe(200);
    const [header, payload] = token.split('.');
    const mixed = `${header}.${payload}.${second.split('.')[2]}`;
    for (let tries = 0; tries < 2; tries++) expect(await call(model, mixed)).toMatchObject(UNKNOWN);
    expect((await call(model, token)).result?.user).toEqual({ id: 'alice' });
  });

  it('accepts it with the claims of this token only, also among many others', async () => {
    const model = modelOf();
    const first = await sign({ sub: 'user-0' });
    const tokens = [
      first,
      ...(await Promise.all(Array.from({ length: 50 }, (_, n) => sign({ sub: `user-${n + 1}` })))),
    ];
    for (let round = 0; round < 2; round++) {
      for (const [n, token] of tokens.entries()) {
        expect((await model.getAccessToken(token))?.user).toEqual({ id: `user-${n}` });
      }
    }
  });
});

describe('JwtTokens with a forged token', () => {
  const hmac = (jwk: object) => new TextEncoder().encode(JSON.stringify(jwk));
  const forgeries: [string, () => string | Promise<string>][] = [
    ['without a signature', () => new UnsecuredJWT(claimsOf()).encode()],
    ['signed with another key and a known `kid`', () => sign({}, { kid: 'one' }, other)],
    ['signed with a key in its own header', () => sign({}, { kid: 'new', jwk: other.jwk }, other)],
    ['signed with the public key as HMAC secret', () => hs256(hmac(es256.jwk))],
    ['signed with zeros as HMAC secret', () => hs256(new Uint8Array(32))],
    ['of another issuer', () => sign({ iss: 'https://evil.example' })],
    ['that is an ID token', () => sign({}, { typ: 'JWT' })],
    ['without a type', () => sign({}, { typ: undefined })],
    ['with an unknown critical header', () => crit()],
    ['without an expiry', () => sign({ exp: undefined })],
    ['without a client', () => sign({ client_id: undefined })],
    ['whose client is an object', () => sign({ client_id: { id: 'web' } })],
    ['whose subject is a list', () => sign({ sub: ['alice'] })],
    ['whose audience is an object', () => sign({ aud: { toString: 1 } })],
    ['whose audience is a number', () => sign({ aud: 7 })],
    ['whose audience is a list without strings', () => sign({ aud: [null, 7] })],
    ['whose scope is an object', () => sign({ scope: { read: true } })],
    ['without a `jti`', () => sign({ jti: undefined })],
    ['that is too long', () => sign({ pad: 'x'.repeat(20_000) })],
    ['whose payload was modified', async () => changed(await sign())],
    ['that is not a JWT', () => 'a.b.c'],
    ['that consists of dots', () => '..'],
    ['with a path as `kid`', () => sign({}, { kid: '../../etc/passwd' }, other)],
  ];
  const hs256 = (secret: Uint8Array) =>
    new SignJWT(claimsOf()).setProtectedHeader({ alg: 'HS256', kid: 'one', typ: 'at+jwt' }).sign(secret);
  const crit = () => {
    const header = { alg: 'ES256', kid: 'one', typ: 'at+jwt', crit: ['x'], x: 1 };
    return new SignJWT(claimsOf()).setProtectedHeader(header).sign(es256.privateKey, { crit: { x: true } });
  };
  const changed = (token: string) => {
    const [header, , signature] = token.split('.');
    return `${header}.${Buffer.from(JSON.stringify(claimsOf({ sub: 'admin' }))).toString('base64url')}.${signature}`;
  };

  it.each(forgeries)('rejects without further details a forged or incomplete token: %s', async (_, forge) => {
    expect(await call(modelOf(), await forge())).toMatchObject(UNKNOWN);
  });

  it.each([
    ['for another resource', { aud: 'https://other.example' }, 'it is not intended for this resource'],
    ['that is sender-constrained', { cnf: { jkt: 'x' } }, 'it is bound to a key'],
  ])('rejects with a specific error message a token %s', async (_, claims, message) => {
    const { status, error } = await call(modelOf(), await sign(claims));
    expect({ status, message: error?.message }).toEqual({ status: 401, message: `Invalid token: ${message}` });
  });

  it('rejects a token signed with a symmetric key, even if the issuer publishes that key', async () => {
    const secret = new Uint8Array(32).fill(7);
    const k = Buffer.from(secret).toString('base64url');
    remote.replies[JWKS] = json({ keys: [{ kty: 'oct', kid: 'one', k }] });
    expect(await call(modelOf(), await hs256(secret))).toMatchObject(UNKNOWN);
  });
});

describe('the keys of JwtTokens', () => {
  it('are fetched again for an unknown `kid`, but once in a while only', async () => {
    const model = modelOf();
    await call(model, await sign());
    show(es256, other);
    later(31);
    const token = await sign({}, {}, other);
    const all = await Promise.all([1, 2, 3].map(() => call(model, token)));
    expect(all.map(({ status }) => status)).toContain(200);
    expect(await call(model, token)).toMatchObject({ status: 200 });
    const flood = Array.from({ length: 50 }, (_, index) => sign({}, { kid: `made-up-${index}` }, other));
    for (const forged of await Promise.all(flood)) expect(await call(model, forged)).toMatchObject(UNKNOWN);
    expect(requested()).toBe(2);
  });

  it('are refreshed regularly, so that a removed key becomes invalid', async () => {
    const model = modelOf();
    const token = await sign();
    await call(model, token);
    show(other);
    later(601);
    await call(model, token);
    await call(model, await sign({}, {}, other));
    expect(await call(model, token)).toMatchObject(UNKNOWN);
  });

  it('are used for a day while the issuer is unreachable', async () => {
    const model = modelOf();
    const token = await sign();
    await call(model, token);
    remote.replies[JWKS] = json({}, 500);
    later(80_000);
    expect(await call(model, token)).toMatchObject({ status: 200 });
    later(170_000);
    expect(await call(model, token)).toMatchObject(LATER);
  });

  it.each([
    ['the issuer is down', () => (remote.replies[JWKS] = json({}, 500))],
    ['the response is not JSON', () => (remote.replies[JWKS] = json('<html>'))],
    ['the response has no list of keys', () => (remote.replies[JWKS] = json({ keys: 'none' }))],
    [
      'there are more than 100 keys',
      () => (remote.replies[JWKS] = json({ keys: Array.from({ length: 101 }, () => ({})) })),
    ],
    ['the response is too large', () => (remote.replies[JWKS] = json({ keys: [{ pad: 'x'.repeat(100_000) }] }))],
    ['the response is a redirect', () => (remote.replies[JWKS] = json({}, 302, { location: `${remote.url}/other` }))],
  ])('cause temporarily_unavailable if %s', async (_, spoil) => {
    spoil();
    const model = modelOf();
    expect(await call(model, await sign())).toMatchObject(LATER);
    expect(await call(model, await sign())).toMatchObject(LATER);
    expect(requested()).toBe(1);
  });

  it('are not fetched if the metadata is of another issuer', async () => {
    remote.reset(undefined, { issuer: 'https://evil.example', jwks_uri: `${remote.url}${JWKS}` });
    const { status, error } = await call(modelOf(), await sign());
    expect(status).toBe(503);
    expect((error as OAuthError).inner?.message).toMatch(/`issuer` in its metadata \('https:\/\/evil\.example'\)/);
    expect(warnings).toHaveBeenCalledTimes(1);
  });

  it('can be fetched from the option `jwksUri` without metadata', async () => {
    expect(await call(modelOf({ jwksUri: `${remote.url}${JWKS}` }), await sign())).toMatchObject({ status: 200 });
    expect(remote.received).toHaveLength(1);
  });
});

describe('options of JwtTokens', () => {
  it.each([
    ['no issuer', { issuer: undefined }, /requires `issuer`: the issuer identifier/],
    ['no audience', { audience: undefined }, /requires `audience`/],
    ['an empty audience', { audience: [] }, /An empty list would accept every token/],
    ['an issuer with an http URL', { issuer: 'http://id.example.com' }, /`issuer` of JwtTokens must be an https URL/],
    [
      'a `jwksUri` with an http URL',
      { jwksUri: 'http://id.example.com/keys' },
      /`jwksUri` of JwtTokens must be an https URL/,
    ],
    ['both `jwks` and `jwksUri`', { jwks: { keys: [] }, jwksUri: 'https://id.example.com/keys' }, /but not both/],
    ['keys that are not a JWK set', { jwks: [] }, /`jwks` of JwtTokens must be a JWK set/],
    ['a weak algorithm', { algorithms: ['HS256'] }, /`algorithms` of JwtTokens must be a list of/],
    ['no algorithm', { algorithms: [] }, /`algorithms` of JwtTokens must be a list of/],
    ['an invalid `maxAge`', { maxAge: Number.NaN }, /`maxAge` of .* must be a number of seconds/],
    ['no accepted type', { typ: [] }, /`typ` of JwtTokens must be a list of header values/],
    [
      'required claims in a string',
      { requiredClaims: 'sub' },
      /`requiredClaims` of JwtTokens must be a list of claim names/,
    ],
    ['role claims in a string', { rolesClaims: 'roles' }, /`rolesClaims` of JwtTokens must be a list of claims/],
    ['no scope claim', { scopeClaims: [] }, /`scopeClaims` of JwtTokens must be a list of claims/],
    ['a token use without values', { tokenUse: { claim: 'typ' } }, /`tokenUse` of JwtTokens must be an object such as/],
    [
      'a boolean in place of a function',
      { isClientCredentials: true },
      /`isClientCredentials` of JwtTokens must be a function/,
    ],
    ['a misspelled option', { audiences: 'x' }, /unknown option `audiences`/],
  ])('are rejected by the constructor as a configuration error: %s', (_, options, sentence) => {
    expect(() => modelOf(options as never)).toThrow(InvalidArgumentError);
    expect(() => modelOf(options as never)).toThrow(sentence);
  });
});
