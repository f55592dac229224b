import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { JwtTokens, type JwtTokensOptions } from 'nest-oauth2/jose';
import { InvalidArgumentError, isClientItself, OAuth2Server, type OAuthError } from 'nest-oauth2/server';

import { SIGNING_ALGORITHMS } from '../../support/algorithms.js';
import { IntrospectionServer, json } from '../../support/introspection-server.js';
import { runOperation, resourceRequest } from '../../support/requests.js';

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

/** The authorization server shows these keys. */
function serve(...keys: Pair[]): void {
  remote.reset(undefined, { jwks_uri: `${remote.url}${JWKS}` });
  show(...keys);
}
const show = (...keys: Pair[]) => (remote.replies[JWKS] = json({ keys: keys.map(({ jwk }) => jwk) }));
const asked = () => remote.askedAt(JWKS).length;

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

/** It is so many seconds later for the keys, and for nothing else. */
function later(seconds: number): void {
  jest.spyOn(performance, 'now').mockImplementation(() => real() + seconds * 1000);
}
const real = performance.now.bind(performance);

describe('a signed access token', () => {
  it('is taken with all that it says, and its issuer is asked once, for its keys', async () => {
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

  it('of a client that acts for itself brings no user', async () => {
    const { result } = await call(modelOf(), await sign({ sub: 'web' }));
    expect(isClientItself(result!['user'] as object)).toBe(true);
  });

  it('opens no route that asks for more scope than it has', async () => {
    expect(await call(modelOf(), await sign(), 'write')).toMatchObject({ error: { name: 'insufficient_scope' } });
  });

  it.each(SIGNING_ALGORITHMS)('may be signed by %s', async (alg) => {
    const pair = await pairOf(alg, 'key');
    serve(pair);
    expect(await call(modelOf(), await sign({}, {}, pair))).toMatchObject({ status: 200 });
    const [some] = ['ES256', 'RS256'].filter((one) => one !== alg) as ['ES256'];
    expect(await call(modelOf({ algorithms: [some] }), await sign({}, {}, pair))).toMatchObject(UNKNOWN);
  });

  it('is checked by keys that the host has, and nobody is asked', async () => {
    const model = modelOf({ issuer: 'https://id.example.com', jwks: { keys: [es256.jwk] } });
    expect(await call(model, await sign({ iss: 'https://id.example.com' }))).toMatchObject({ status: 200 });
    expect(remote.received).toEqual([]);
  });

  it('may be for several resources, of which this API is one', async () => {
    expect(await call(modelOf(), await sign({ aud: ['https://a.example', AUDIENCE] }))).toMatchObject({ status: 200 });
  });

  it('is good for the seconds by which clocks may differ, and not for more', async () => {
    const model = modelOf({ clockTolerance: 30 });
    expect(await call(model, await sign({ exp: now() - 20 }))).toMatchObject({ status: 200 });
    expect(await call(model, await sign({ nbf: now() + 20 }))).toMatchObject({ status: 200 });
    const over = await call(model, await sign({ exp: now() - 40 }));
    expect(over).toMatchObject({ status: 401, error: { message: 'Invalid token: access token has expired' } });
    expect(await call(model, await sign({ nbf: now() + 40 }))).toMatchObject(UNKNOWN);
  });

  it('that was ended before its time is refused where the host says so', async () => {
    const isRevoked = jest.fn(({ jti }: Readonly<Record<string, unknown>>) => jti === 'ended');
    const model = modelOf({ isRevoked });
    expect(await call(model, await sign({ jti: 'ended' }))).toMatchObject(UNKNOWN);
    expect(await call(model, await sign())).toMatchObject({ status: 200 });
    expect(isRevoked).toHaveBeenCalledTimes(2);
  });

  it('is found among keys without a name', async () => {
    const pairs = [await pairOf('ES256'), await pairOf('ES256'), await pairOf('ES256')];
    serve(...pairs);
    const model = modelOf();
    expect(await call(model, await sign({}, { kid: undefined }, pairs[2]))).toMatchObject({ status: 200 });
    expect(await call(model, await sign({}, { kid: undefined }, other))).toMatchObject(UNKNOWN);
  });
});

describe('a token of a forger', () => {
  const hmac = (jwk: object) => new TextEncoder().encode(JSON.stringify(jwk));
  const forgeries: [string, () => string | Promise<string>][] = [
    ['without a signature', () => new UnsecuredJWT(claimsOf()).encode()],
    ['signed by another key under the name of a good one', () => sign({}, { kid: 'one' }, other)],
    ['signed by a key that it brings along', () => sign({}, { kid: 'new', jwk: other.jwk }, other)],
    ['signed with the public key as a secret', () => hs256(hmac(es256.jwk))],
    ['signed with nothing as a secret', () => hs256(new Uint8Array(32))],
    ['of another issuer', () => sign({ iss: 'https://evil.example' })],
    ['that is an id token', () => sign({}, { typ: 'JWT' })],
    ['without a type', () => sign({}, { typ: undefined })],
    ['with a critical header that nobody knows', () => crit()],
    ['without an end', () => sign({ exp: undefined })],
    ['without a client', () => sign({ client_id: undefined })],
    ['whose client is an object', () => sign({ client_id: { id: 'web' } })],
    ['whose subject is a list', () => sign({ sub: ['alice'] })],
    ['whose audience is no text', () => sign({ aud: { toString: 1 } })],
    ['whose audience is a number', () => sign({ aud: 7 })],
    ['whose audience is text and something else', () => sign({ aud: [null, 7] })],
    ['whose scope is an object', () => sign({ scope: { read: true } })],
    ['without a jti', () => sign({ jti: undefined })],
    ['that is too long', () => sign({ pad: 'x'.repeat(20_000) })],
    ['whose payload was changed', async () => changed(await sign())],
    ['that is no token', () => 'a.b.c'],
    ['that is nothing', () => '..'],
    ['with a kid that is a path', () => sign({}, { kid: '../../etc/passwd' }, other)],
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

  it.each(forgeries)('%s is unknown', async (_, forge) => {
    expect(await call(modelOf(), await forge())).toMatchObject(UNKNOWN);
  });

  it.each([
    ['for another resource', { aud: 'https://other.example' }, 'it is not intended for this resource'],
    ['that is bound to a key', { cnf: { jkt: 'x' } }, 'it is bound to a key'],
  ])('%s is refused, and the operator is told why', async (_, claims, message) => {
    const { status, error } = await call(modelOf(), await sign(claims));
    expect({ status, message: error?.message }).toEqual({ status: 401, message: `Invalid token: ${message}` });
  });

  it('is unknown though the server shows a secret among its keys', async () => {
    const secret = new Uint8Array(32).fill(7);
    const k = Buffer.from(secret).toString('base64url');
    remote.replies[JWKS] = json({ keys: [{ kty: 'oct', kid: 'one', k }] });
    expect(await call(modelOf(), await hs256(secret))).toMatchObject(UNKNOWN);
  });
});

describe('the keys', () => {
  it('that are new are fetched when a token names one, and a flood of names fetches them once in a while', async () => {
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
    expect(asked()).toBe(2);
  });

  it('are read again after a while, and a key that was taken away is good no more', async () => {
    const model = modelOf();
    const token = await sign();
    await call(model, token);
    show(other);
    later(601);
    await call(model, token);
    await call(model, await sign({}, {}, other));
    expect(await call(model, token)).toMatchObject(UNKNOWN);
  });

  it('go on being used while the server does not answer, for a day', async () => {
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
    ['the server is down', () => (remote.replies[JWKS] = json({}, 500))],
    ['there is no JSON', () => (remote.replies[JWKS] = json('<html>'))],
    ['there is no list of keys', () => (remote.replies[JWKS] = json({ keys: 'none' }))],
    ['there are too many', () => (remote.replies[JWKS] = json({ keys: Array.from({ length: 101 }, () => ({})) }))],
    ['there is no end of them', () => (remote.replies[JWKS] = json({ keys: [{ pad: 'x'.repeat(100_000) }] }))],
    ['it sends us elsewhere', () => (remote.replies[JWKS] = json({}, 302, { location: `${remote.url}/other` }))],
  ])('that cannot be had make no token bad: %s', async (_, spoil) => {
    spoil();
    const model = modelOf();
    expect(await call(model, await sign())).toMatchObject(LATER);
    expect(await call(model, await sign())).toMatchObject(LATER);
    expect(asked()).toBe(1);
  });

  it('are asked for at an address that the metadata say, which must be those of the issuer', async () => {
    remote.reset(undefined, { issuer: 'https://evil.example', jwks_uri: `${remote.url}${JWKS}` });
    const { status, error } = await call(modelOf(), await sign());
    expect(status).toBe(503);
    expect((error as OAuthError).inner?.message).toMatch(/contain the issuer 'https:\/\/evil\.example'/);
    expect(warnings).toHaveBeenCalledTimes(1);
  });

  it('may have an address of their own', async () => {
    expect(await call(modelOf({ jwksUri: `${remote.url}${JWKS}` }), await sign())).toMatchObject({ status: 200 });
    expect(remote.received).toHaveLength(1);
  });
});

describe('an option that cannot work', () => {
  it.each([
    ['no issuer', { issuer: undefined }, /needs the `issuer`/],
    ['no audience', { audience: undefined }, /needs the `audience`/],
    ['an empty audience', { audience: [] }, /An empty list would accept every token/],
    ['an issuer in the clear', { issuer: 'http://id.example.com' }, /takes as `issuer` an https URL/],
    ['keys in the clear', { jwksUri: 'http://id.example.com/keys' }, /takes as `jwksUri` an https URL/],
    ['keys twice', { jwks: { keys: [] }, jwksUri: 'https://id.example.com/keys' }, /and not by both/],
    ['keys that are none', { jwks: [] }, /takes as `jwks` a JWK set/],
    ['a weak algorithm', { algorithms: ['HS256'] }, /takes as `algorithms` a list of/],
    ['no algorithm', { algorithms: [] }, /takes as `algorithms` a list of/],
    ['a time that is none', { maxAge: Number.NaN }, /`maxAge` of .* must be a number of seconds/],
    ['no accepted type', { typ: [] }, /takes as `typ` a list of header values/],
    ['required claims in one text', { requiredClaims: 'sub' }, /takes as `requiredClaims` a list of claim names/],
    ['roles in one text', { rolesClaims: 'roles' }, /takes as `rolesClaims` a list of claims/],
    ['no scope claim', { scopeClaims: [] }, /takes as `scopeClaims` a list of claims/],
    ['a token use without values', { tokenUse: { claim: 'typ' } }, /takes as `tokenUse` an object such as/],
    ['a flag for a function', { isClientCredentials: true }, /takes as `isClientCredentials` a function/],
    ['a misspelt one', { audiences: 'x' }, /unknown option `audiences`/],
  ])('is a sentence: %s', (_, options, sentence) => {
    expect(() => modelOf(options as never)).toThrow(InvalidArgumentError);
    expect(() => modelOf(options as never)).toThrow(sentence);
  });
});
