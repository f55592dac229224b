import { generateKeyPairSync } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLocalJWKSet, importJWK, jwtVerify, SignJWT } from 'jose';
import {
  DECRYPTION,
  type Jwk,
  type KeyManagementAlgorithm,
  type KeyModel,
  keys,
  type KeysOptions,
  signingKeys,
} from 'nest-oauth2/jose';
import { OAuth2Server } from 'nest-oauth2/server';
import type { Feature } from 'nest-oauth2/features';

import { decryptNested } from '../../../lib/jose/decryption/nested.js';
import { findKeys } from '../../../lib/jose/keys/find-keys.js';
import { createTestModel } from '../../support/models/model.js';
import { encryptTo, type PublishedKey, publishedKeys } from '../../support/clients/encrypting-client.js';

const SECRET = 'a secret of thirty-two characters';
const key = (type: 'ec' | 'rsa' | 'x25519' | 'ed25519', options: object, more: object): Jwk => ({
  ...generateKeyPairSync(type as 'ec', options as { namedCurve: string }).privateKey.export({ format: 'jwk' }),
  ...more,
});
const SIGNING = key('ec', { namedCurve: 'P-256' }, { kid: 'signs' });

/** Creates a feature that decrypts JWEs for its server. */
const reading = (...algorithms: KeyManagementAlgorithm[]): Feature => ({
  id: 'a feature that reads',
  install: (builder) => builder.contribute(DECRYPTION, { lifetime: 60, ...(algorithms.length > 0 && { algorithms }) }),
});

/** The key storage that the processes of a server share. */
class Kept implements KeyModel {
  text: string | undefined;
  reads = 0;

  getSigningKeys = async () => {
    this.reads++;
    return this.text;
  };

  replaceSigningKeys = async (old: string | undefined, text: string) => {
    await new Promise(setImmediate);
    if (this.text !== old) return false;
    this.text = text;
    return true;
  };
}

const processOf = (kept: Kept, options: KeysOptions = {}, features: Feature[] = [reading()]) =>
  new OAuth2Server({
    model: Object.assign(createTestModel().model, kept),
    features: [keys({ secret: SECRET, ...options }), ...features],
  });
const serverWith = (from: KeysOptions['from'], features: Feature[] = [reading()]) =>
  new OAuth2Server({ model: createTestModel().model, features: [keys({ from: from! }), ...features] });

const shown = (server: OAuth2Server) => publishedKeys(server, 'enc');
const read = (server: OAuth2Server, jwe: string) => {
  const ring = findKeys(server.context)!;
  return decryptNested(ring, jwe, { algorithms: ring.decryptionAlgorithms() });
};
const isRead = async (server: OAuth2Server, jwe: string) => (await read(server, jwe)) === 'a text';

/** Moves all clocks forward by the given number of seconds. */
function later(seconds: number): void {
  const [date, time] = [Date.now(), performance.now()];
  jest.restoreAllMocks();
  jest.spyOn(Date, 'now').mockReturnValue(date + seconds * 1000);
  jest.spyOn(performance, 'now').mockReturnValue(time + seconds * 1000);
}
afterEach(() => void jest.restoreAllMocks());

describe('decryption keys that the application provides', () => {
  const EC = key('ec', { namedCurve: 'P-256' }, { kid: 'first', use: 'enc' });
  const pem = generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;

  it('are published with the signing keys, one for each algorithm; all of them decrypt', async () => {
    const second = { ...key('ec', { namedCurve: 'P-384' }, { kid: 'second', use: 'enc' }) };
    const server = serverWith([EC, second, { pem, use: 'enc', alg: 'ECDH-ES+A256KW', kid: 'pem' }, SIGNING]);
    expect(await publishedKeys(server)).toMatchObject([
      { kid: 'signs', use: 'sig', alg: 'ES256' },
      { kid: 'first', use: 'enc', alg: 'ECDH-ES' },
      { kid: 'pem', use: 'enc', alg: 'ECDH-ES+A256KW', crv: 'X25519' },
    ]);
    for (const one of await publishedKeys(server)) expect(one).not.toHaveProperty('d');
    const behind = { ...second, d: undefined, alg: 'ECDH-ES' } as unknown as PublishedKey;
    for (const to of [...(await shown(server)), behind]) {
      expect(await isRead(server, await encryptTo(to, 'a text'))).toBe(true);
    }
  });

  it('do not sign, and signing keys do not decrypt', async () => {
    const server = serverWith([EC, SIGNING]);
    const ring = findKeys(server.context)!;
    expect([ring.algorithms(), ring.decryptionAlgorithms()]).toEqual([['ES256'], ['ECDH-ES']]);
    expect((await ring.current())!.kid).toBe('signs');
    const published = await publishedKeys(server);
    const privateKey = await importJWK({ ...EC }, 'ES256');
    const verified = (kid?: string) =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'ES256', ...(kid && { kid }) })
        .sign(privateKey)
        .then((jwt) => jwtVerify(jwt, createLocalJWKSet({ keys: published })));
    await expect(verified('first')).rejects.toThrow('no applicable key');
    await expect(verified()).rejects.toThrow('signature verification failed');
    const to = published.find(({ kid }) => kid === 'signs')!;
    for (const kid of ['signs', 'first', undefined]) {
      expect(await read(server, await encryptTo(to, 'a text', { alg: 'ECDH-ES', kid }))).toBeUndefined();
    }
  });

  it.each<[string, unknown[], RegExp]>([
    ['a missing signing key', [EC], /contains no signing key/],
    ['a public key', [SIGNING, { ...EC, d: undefined }], /must be a private JWK, a PEM text or a signer/],
    [
      'text that is not PEM',
      [SIGNING, { pem: 'secret-text', use: 'enc' }],
      /must be a private JWK, a PEM text or a signer/,
    ],
    [
      'a key of a signature curve',
      [SIGNING, key('ed25519', {}, { use: 'enc' })],
      /a decryption key must be for P-256, P-384, P-521, X25519/,
    ],
    ['a weak key', [SIGNING, key('rsa', { modulusLength: 1024 }, { use: 'enc' })], /2048/],
    [
      'an algorithm of another type of key',
      [SIGNING, { ...EC, alg: 'RSA-OAEP-256' }],
      /`ec` does not support decryption with `RSA-OAEP-256`/,
    ],
    ['a signature algorithm', [SIGNING, { ...EC, alg: 'ES256' }], /does not support decryption with `ES256`/],
    ['two keys with the same `kid`', [SIGNING, { ...EC, kid: 'signs' }], /have the same `kid`, `signs`/],
    [
      'one key for signing and decryption',
      [SIGNING, { ...SIGNING, use: 'enc', kid: 'other' }],
      /`other` of `keys\(\)` is configured to sign and to decrypt/,
    ],
  ])('cause a configuration error for %s', (_, from, sentence) => {
    expect(() => serverWith(from as never, [])).toThrow(sentence);
    expect(() => serverWith(from as never, [])).not.toThrow(/secret-text/);
  });
});

describe('decryption keys in a store', () => {
  let kept: Kept;
  beforeEach(() => {
    kept = new Kept();
  });

  it('are created for each algorithm that a feature requires, and stored encrypted', async () => {
    expect(await publishedKeys(processOf(kept, {}, []))).toMatchObject([{ alg: 'ES256', use: 'sig' }]);
    expect(await shown(processOf(kept))).toMatchObject([{ alg: 'ECDH-ES', kty: 'EC', crv: 'P-256' }]);
    const both = processOf(kept, {}, [reading('RSA-OAEP-256', 'ECDH-ES')]);
    expect(await shown(both)).toMatchObject([{ alg: 'ECDH-ES' }, { alg: 'RSA-OAEP-256', kty: 'RSA' }]);
    for (const to of await shown(both)) expect(await isRead(both, await encryptTo(to, 'a text'))).toBe(true);
    // The quotes do not occur in encrypted text, but `kty` may.
    expect(kept.text).not.toMatch(/"kty"|"d"/);
    // A server on the same store without a decrypting feature publishes none of them.
    expect(await shown(processOf(kept, {}, []))).toEqual([]);
  });

  it('are the same in all processes that start at the same time', async () => {
    const servers = Array.from({ length: 6 }, () => processOf(kept));
    const kids = (await Promise.all(servers.map(shown))).flat().map(({ kid }) => kid);
    expect(new Set(kids).size).toBe(1);
  });

  it('are shared by servers with one store whose features require the same keys', async () => {
    const feature = keys({ secret: SECRET });
    const { model } = processOf(kept).context.options;
    const [one, two, other] = [[reading()], [reading()], []].map(
      (features) => new OAuth2Server({ model, features: [feature, ...features] }),
    );
    expect(findKeys(one!.context)).toBe(findKeys(two!.context));
    expect(findKeys(other!.context)).not.toBe(findKeys(one!.context));
    expect(findKeys(other!.context)).toBe(findKeys(other!.context));
  });

  it('are rotated so that each process can decrypt with a key before clients use it', async () => {
    const [one, two] = [processOf(kept), processOf(kept)];
    const [before] = await shown(one);
    await shown(two);
    const old = await encryptTo(before!, 'a text');
    const next = await signingKeys(one).rotate({ alg: 'ECDH-ES' });
    expect(await signingKeys(one).list()).toMatchObject([
      { use: 'sig', state: 'current' },
      { use: 'enc', alg: 'ECDH-ES', state: 'current' },
      { kid: next, use: 'enc', alg: 'ECDH-ES', state: 'next' },
    ]);
    // The key is published only when all processes know it.
    expect(await shown(one)).toEqual([before]);
    later(901);
    for (const server of [one, two]) {
      await shown(server);
      expect((await shown(server)).map(({ kid }) => kid)).toEqual([next]);
      expect(await isRead(server, old)).toBe(true);
      expect(await isRead(server, await encryptTo((await shown(one))[0]!, 'a text'))).toBe(true);
    }
    later(86_390);
    for (const server of [one, two]) expect(await isRead(server, old)).toBe(true);
    later(20);
    for (const server of [one, two]) expect(await isRead(server, old)).toBe(false);
    expect(await signingKeys(one).list()).toMatchObject([{ use: 'sig' }, { kid: next, state: 'current' }]);
  });

  it('are read from the store again if the `kid` is unknown: another process may have added it', async () => {
    const [one, two] = [processOf(kept), processOf(kept)];
    await shown(two);
    await signingKeys(one).rotate({ alg: 'ECDH-ES', now: true });
    const jwe = await encryptTo((await shown(one))[0]!, 'a text');
    const before = kept.reads;
    expect(await isRead(two, jwe)).toBe(true);
    expect(await isRead(two, jwe)).toBe(true);
    expect(kept.reads).toBe(before + 1);
  });

  it('can no longer decrypt once they are removed', async () => {
    const server = processOf(kept);
    const [lost] = await shown(server);
    const jwe = await encryptTo(lost!, 'a text');
    expect(await signingKeys(server).remove(lost!.kid)).toBe(true);
    expect(await isRead(server, jwe)).toBe(false);
    const [other] = await shown(server);
    expect(other!.kid).not.toBe(lost!.kid);
    expect(await isRead(server, await encryptTo(other!, 'a text'))).toBe(true);
  });

  it('are rotated automatically after `rotateEvery`, like signing keys', async () => {
    const server = processOf(kept, { rotateEvery: 86_400 });
    await shown(server);
    later(86_401);
    await shown(server);
    const { length } = (await signingKeys(server).list()).filter(({ use, state }) => use === 'enc' && state === 'next');
    expect(length).toBe(1);
  });

  it('are not created by rotate() without `alg`, and rotate() rejects an `alg` that no feature requires', async () => {
    const server = processOf(kept);
    expect((await signingKeys(server).list()).length).toBe(0);
    await signingKeys(server).rotate();
    expect(await signingKeys(server).list()).toMatchObject([{ use: 'sig' }]);
    await expect(signingKeys(server).rotate({ alg: 'RSA-OAEP-256' })).rejects.toThrow(
      'no key that decrypts with RSA-OAEP-256',
    );
  });
});
