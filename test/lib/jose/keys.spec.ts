import { createPrivateKey, generateKeyPairSync, sign as signBytes } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { type KeyModel, type KeysOptions, keys, signingKeys } from 'nest-oauth2/jose';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';

import { signJwt } from '../../../lib/jose/keys/key-ring.js';
import { findKeys } from '../../../lib/jose/keys/find-keys.js';
import { createTestModel } from '../../support/models/model.js';
import { rsaKey as rsa } from '../../support/keys/rsa-key.js';
import { waitUntil } from '../../support/environment/wait-until.js';

const SECRET = 'a secret of thirty-two characters';
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const ed = generateKeyPairSync('ed25519').privateKey;
const pem = (key = p256) => key.export({ format: 'pem', type: 'pkcs8' }) as string;
const jwk = (key = p256) => key.export({ format: 'jwk' });

/** A key storage that counts its reads. */
class Kept implements KeyModel {
  text: string | undefined;
  reads = 0;

  async getSigningKeys() {
    this.reads++;
    return this.text;
  }

  async replaceSigningKeys(old: string | undefined, text: string) {
    // Writes as slowly as a database, so that concurrent processes conflict.
    await new Promise(setImmediate);
    if (this.text !== old) return false;
    this.text = text;
    return true;
  }
}

function serverOf(options: KeysOptions, model: object = {}): OAuth2Server {
  return new OAuth2Server({
    model: { ...createTestModel().model, ...model },
    issuer: 'https://id.example.com',
    features: [keys(options)],
  });
}

/** Creates one process of a server whose keys are in a store. */
function processOf(kept: Kept, options: KeysOptions = {}): OAuth2Server {
  const store = {
    getSigningKeys: () => kept.getSigningKeys(),
    replaceSigningKeys: (old: string | undefined, text: string) => kept.replaceSigningKeys(old, text),
  };
  return serverOf({ secret: SECRET, ...options }, store);
}

async function document(server: OAuth2Server): Promise<{ keys: Record<string, string>[] }> {
  const response = new Response();
  await server.handle('jwks', new Request({ method: 'GET', headers: {}, query: {} }), response);
  return response.body as never;
}
const kids = async (server: OAuth2Server) => (await document(server)).keys.map(({ kid }) => kid);

const sign = (server: OAuth2Server, alg?: string) =>
  signJwt(findKeys(server.context)!, { sub: 'alice' }, { typ: 'at+jwt', alg: alg as never });
const isGood = async (server: OAuth2Server, token: string) =>
  jwtVerify(token, createLocalJWKSet((await document(server)) as never)).then(
    ({ payload }) => payload.sub === 'alice',
    () => false,
  );
const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid as string;

/** Moves all clocks forward by the given number of seconds. */
function later(seconds: number): void {
  const [date, time] = [Date.now(), performance.now()];
  jest.restoreAllMocks();
  const [dateNow, timeNow] = [Date.now(), performance.now()];
  jest.spyOn(Date, 'now').mockReturnValue(Math.max(date, dateNow) + seconds * 1000);
  jest.spyOn(performance, 'now').mockReturnValue(Math.max(time, timeNow) + seconds * 1000);
}

afterEach(() => void jest.restoreAllMocks());

describe('signing keys that the application provides', () => {
  const signer = {
    alg: 'ES256' as const,
    publicKey: { kty: 'EC', crv: 'P-256', x: jwk()['x']!, y: jwk()['y']! },
    sign: (data: Uint8Array) => signBytes('sha256', data, { key: p256, dsaEncoding: 'ieee-p1363' }),
  };

  it.each<[string, KeysOptions['from'], string]>([
    ['a JWK', [jwk()], 'ES256'],
    ['PEM', [pem()], 'ES256'],
    ['PEM of an Ed25519 key', [pem(ed)], 'Ed25519'],
    ['PEM of an Ed25519 key with the algorithm EdDSA', [{ pem: pem(ed), alg: 'EdDSA' }], 'EdDSA'],
    ['PEM of an RSA key', [{ pem: pem(rsa), alg: 'PS256' }], 'PS256'],
    ['a JWK of an RSA key', [{ ...jwk(rsa), alg: 'RS256' }], 'RS256'],
    ['an external signer', [signer], 'ES256'],
  ])('can be %s', async (_, from, alg) => {
    const server = serverOf({ from: from! });
    const token = await sign(server);
    expect(await isGood(server, token)).toBe(true);
    const [shown] = (await document(server)).keys;
    expect(shown).toMatchObject({ alg, use: 'sig', kid: kidOf(token) });
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(shown).not.toHaveProperty(secret);
  });

  it.each([
    ['in DER', 'ES256', p256],
    ['cut off', 'PS256', rsa],
  ] as const)('cause an error if the external signer returns a signature %s', async (how, alg, key) => {
    const { n, e, crv, x, y, kty } = jwk(key);
    const answer = (data: Uint8Array) => signBytes('sha256', data, key).subarray(how === 'in DER' ? 0 : 1);
    const server = serverOf({ from: [{ alg, publicKey: { n, e, crv, x, y, kty } as never, sign: answer }] });
    await expect(sign(server)).rejects.toThrow(
      /the signer `.*` returned \d+ bytes. A JWS signature with .S256 must have \d+ bytes/,
    );
  });

  it('are all published, and the first one of each algorithm signs', async () => {
    const next = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const from = [
      { ...jwk(), kid: 'now' },
      { ...jwk(next), kid: 'next' },
      { ...jwk(rsa), alg: 'PS256', kid: 'rsa' },
    ];
    const server = serverOf({ from });
    expect(await kids(server)).toEqual(['now', 'next', 'rsa']);
    expect([kidOf(await sign(server)), kidOf(await sign(server, 'PS256'))]).toEqual(['now', 'rsa']);
    await expect(sign(server, 'RS256')).rejects.toThrow('there is no signing key for RS256');
  });

  it.each<[string, unknown, RegExp]>([
    ['an empty list', [], /must be a non-empty list of private keys/],
    ['a public key', [{ ...jwk(), d: undefined }], /must be a private JWK, a PEM text or a signer/],
    ['text that is not PEM', ['secret-text'], /must be a private JWK, a PEM text or a signer/],
    ['an RSA key without an algorithm', [pem(rsa)], /an RSA key requires an `alg`: one of RS256, .*PS512/],
    ['an algorithm of another type of key', [{ pem: pem(), alg: 'PS256' }], /does not support signatures with `PS256`/],
    [
      'a weak key',
      [{ pem: pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey), alg: 'PS256' }],
      /2048/,
    ],
    [
      'an unknown curve',
      [pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey)],
      /must be for P-256, P-384, P-521, Ed25519, ML-DSA or RSA/,
    ],
    [
      'two keys with the same `kid`',
      [
        { ...jwk(), kid: 'a' },
        { pem: pem(ed), kid: 'a' },
      ],
      /have the same `kid`, `a`/,
    ],
  ])('cause a configuration error that does not reveal them: %s', (_, from, sentence) => {
    expect(() => serverOf({ from: from as never })).toThrow(sentence);
    expect(() => serverOf({ from: from as never })).not.toThrow(/secret-text/);
  });
});

describe('signing keys in a store', () => {
  let kept: Kept;
  beforeEach(() => {
    kept = new Kept();
  });

  it('are created by the first process that needs them, and used by all others', async () => {
    const servers = Array.from({ length: 8 }, () => processOf(kept));
    const tokens = await Promise.all(servers.map((server) => sign(server)));
    expect(new Set(tokens.map(kidOf)).size).toBe(1);
    for (const server of servers) expect(await isGood(server, tokens[0]!)).toBe(true);
    expect(createPrivateKey({ key: jwk(), format: 'jwk' }).type).toBe('private');
    expect(kept.text).not.toMatch(/"d"|kty/);
  });

  it('are awaited by concurrent requests while they are created', async () => {
    const server = processOf(kept);
    const replaced = jest.spyOn(kept, 'replaceSigningKeys');
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    replaced.mockImplementationOnce(async (old, text) => {
      await released;
      return kept.replaceSigningKeys(old, text);
    });
    const first = sign(server);
    while (replaced.mock.calls.length === 0) await new Promise(setImmediate);
    const [second, shown] = [sign(server), document(server)];
    release();
    expect(kidOf(await second)).toBe(kidOf(await first));
    expect((await shown).keys).toHaveLength(1);
  });

  it.each([1, 2])('are created again by the next request if write %i to the store failed', async (place) => {
    const server = processOf(kept, { algorithms: ['ES256', 'Ed25519'] });
    const replaced = jest.spyOn(kept, 'replaceSigningKeys');
    const keep = replaced.getMockImplementation()!;
    replaced.mockImplementation((...given) =>
      replaced.mock.calls.length === place ? Promise.reject(new Error('down')) : keep.apply(kept, given),
    );
    await expect(sign(server)).rejects.toThrow('down');
    expect(await isGood(server, await sign(server, 'Ed25519'))).toBe(true);
    expect(await isGood(server, await sign(server))).toBe(true);
  });

  it('can be rotated immediately although a next key is waiting', async () => {
    const server = processOf(kept);
    await sign(server);
    const next = await signingKeys(server).rotate();
    const at = await signingKeys(server).rotate({ now: true });
    expect(at).not.toBe(next);
    expect(kidOf(await sign(server))).toBe(at);
  });

  it('are cached for a minute', async () => {
    const server = processOf(kept);
    for (let i = 0; i < 10; i++) await sign(server);
    const { reads } = kept;
    for (let i = 0; i < 10; i++) await sign(server);
    expect(kept.reads).toBe(reads);
  });

  it('are rotated so that resource servers know each key before it signs', async () => {
    const [one, two] = [processOf(kept), processOf(kept)];
    const before = await sign(one);
    await sign(two);
    const next = await signingKeys(one).rotate();
    expect(await signingKeys(two).rotate()).toBe(next);
    later(61);
    // All processes know the next key, and none of them signs with it.
    await waitUntil(async () => (await kids(two)).length > 1);
    expect(await kids(two)).toEqual([kidOf(before), next]);
    expect(kidOf(await sign(two))).toBe(kidOf(before));
    later(900);
    expect([kidOf(await sign(one)), kidOf(await sign(two))]).toEqual([next, next]);
    expect(await isGood(two, before)).toBe(true);
    later(86_400);
    expect(await isGood(two, before)).toBe(false);
    expect((await signingKeys(one).list()).map(({ state }) => state)).toEqual(['current']);
  });

  it('sign immediately if there was no key to rotate', async () => {
    const server = processOf(kept);
    const first = await signingKeys(server).rotate();
    const [only, ...others] = await signingKeys(server).list();
    expect([only, others]).toEqual([expect.objectContaining({ kid: first, state: 'current' }), []]);
    expect(only!.signsFrom.getTime()).toBeLessThanOrEqual(Date.now());
    expect(await signingKeys(server).rotate()).not.toBe(first);
    expect((await signingKeys(server).list()).map(({ state }) => state)).toEqual(['current', 'next']);
  });

  it('are rotated automatically after `rotateEvery`, once for all processes', async () => {
    const servers = [1, 2, 3].map(() => processOf(kept, { rotateEvery: 86_400 }));
    for (const server of servers) await sign(server);
    later(86_401);
    await Promise.all(servers.map((server) => sign(server)));
    const states = async () => (await signingKeys(servers[0]!).list()).map(({ state }) => state);
    await waitUntil(async () => (await states()).length > 1);
    await Promise.all(servers.map((server) => sign(server)));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await states()).toEqual(['current', 'next']);
  });

  it('are created for each algorithm in the option `algorithms`', async () => {
    const server = processOf(kept, { algorithms: ['PS256', 'Ed25519'] });
    expect(await isGood(server, await sign(server, 'Ed25519'))).toBe(true);
    expect(await isGood(server, await sign(server))).toBe(true);
    await expect(signingKeys(server).rotate({ alg: 'RS256' })).rejects.toThrow(/no key that signs with RS256/);
  });

  it('become invalid immediately when they are removed', async () => {
    const server = processOf(kept);
    const token = await sign(server);
    expect(await signingKeys(server).remove(kidOf(token))).toBe(true);
    expect(await isGood(server, token)).toBe(false);
    expect(await isGood(server, await sign(server))).toBe(true);
    expect(await signingKeys(server).remove('unknown')).toBe(false);
  });

  it('are replaced by a new key if the current key is removed, although the previous key is still kept', async () => {
    const server = processOf(kept);
    const before = kidOf(await sign(server));
    const compromised = await signingKeys(server).rotate({ now: true });
    expect(await signingKeys(server).remove(compromised)).toBe(true);
    const listed = await signingKeys(server).list();
    expect(listed).toMatchObject([{ kid: before, state: 'retiring' }, { state: 'current' }]);
    expect(kidOf(await sign(server))).toBe(listed[1]!.kid);
    expect(listed[1]!.kid).not.toBe(compromised);
  });

  it('are not replaced if a key is removed that is not the current one', async () => {
    const server = processOf(kept);
    const before = kidOf(await sign(server));
    const current = await signingKeys(server).rotate({ now: true });
    const next = await signingKeys(server).rotate();
    for (const kid of [before, next]) expect(await signingKeys(server).remove(kid)).toBe(true);
    expect(await signingKeys(server).list()).toMatchObject([{ kid: current, state: 'current' }]);
    expect(await signingKeys(server).list()).toHaveLength(1);
  });

  it('are used while the store is unavailable', async () => {
    const server = processOf(kept);
    await sign(server);
    jest.spyOn(kept, 'getSigningKeys').mockRejectedValue(new Error('down'));
    later(61);
    expect(await sign(server)).toEqual(expect.any(String));
  });

  it('can be decrypted with a previous secret only if it is listed', async () => {
    const token = await sign(processOf(kept));
    const changed = processOf(kept, { secret: ['another secret of many characters', SECRET] });
    expect(await isGood(changed, token)).toBe(true);
    const wrong = processOf(kept, { secret: 'a wrong secret of many characters' });
    await expect(sign(wrong)).rejects.toMatchObject({
      inner: { message: expect.stringMatching(/encrypted with another secret/) },
    });
  });

  it.each<[string, KeysOptions, RegExp]>([
    ['no secret', { secret: [] }, /`secret` of `keys\(\)` is not set/],
    ['a secret that is too short', { secret: 'short' }, /`secret` of `keys\(\)` must be a text of at least 32/],
    ['an unknown algorithm', { algorithms: ['HS256' as never] }, /`algorithms` of `keys\(\)`/],
    ['a lead that is too short', { lead: 10 }, /`lead` of `keys\(\)`/],
    [
      'a `rotateEvery` shorter than `lead`',
      { rotateEvery: 899 },
      /`rotateEvery` of `keys\(\)` must be at least `lead`/,
    ],
    ['a `keep` that is too short', { keep: 60 }, /`keep` of `keys\(\)`/],
    ['an invalid `maxAge`', { maxAge: -1 }, /`maxAge` of `keys\(\)`/],
    ['a misspelled option', { maxage: 1 } as never, /unknown option `maxage`/],
  ])('cause a configuration error for %s', (_, options, sentence) => {
    expect(() => processOf(kept, options)).toThrow(sentence);
  });

  it('state in the settings of the feature whether they are stored', () => {
    expect(keys({ secret: SECRET }).settings).toMatchObject({ stored: true, algorithms: ['ES256'], keep: 86_400 });
    expect(keys({ from: [{ ...jwk(rsa), alg: 'RS256' }] }).settings).toMatchObject({ stored: false });
  });

  it('may be rotated after `lead`', () => {
    expect(() => processOf(kept, { rotateEvery: 900 })).not.toThrow();
  });

  it('require a model that stores keys', () => {
    expect(() => serverOf({ secret: SECRET })).toThrow(/getSigningKeys/);
  });
});
