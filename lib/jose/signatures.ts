import { constants, KeyObject, sign, type SignKeyObjectInput, verify, type webcrypto } from 'node:crypto';
import { promisify, types } from 'node:util';

import { signWithoutWaiting } from './thread-signatures.js';

/** How `node:crypto` computes the signatures of an algorithm. RFC 7518 §3.1, RFC 8037 §3.1 */
interface Scheme {
  /** The hash function. `null` if the algorithm has a fixed one. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null;
  /** The key type as Node.js names it, and the OpenSSL name of the curve. */
  readonly keyType: 'ec' | 'ed25519' | 'rsa';
  readonly curve?: string;
  /** The algorithm that a key of the Web Crypto API must have. */
  readonly webCrypto: { readonly name: string; readonly hash?: string; readonly namedCurve?: string };
  /** The encoding or padding of the signature. */
  readonly format: Omit<SignKeyObjectInput, 'key'>;
  /** Whether the operation takes about a millisecond, so that it runs in another thread. */
  readonly isSlow: { readonly sign: boolean; readonly verify: boolean };
}

type Bits = 256 | 384 | 512;

const rsa = (bits: Bits, name: 'RSASSA-PKCS1-v1_5' | 'RSA-PSS', format: Scheme['format']): Scheme => ({
  hash: `sha${bits}`,
  keyType: 'rsa',
  webCrypto: { name, hash: `SHA-${bits}` },
  format,
  isSlow: { sign: true, verify: false },
});

const pkcs1 = (bits: Bits) => rsa(bits, 'RSASSA-PKCS1-v1_5', { padding: constants.RSA_PKCS1_PADDING });

const pss = (bits: Bits) =>
  rsa(bits, 'RSA-PSS', { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });

// OpenSSL has a fast implementation of P-256 only.
const ecdsa = (bits: Bits, namedCurve: string, curve: string): Scheme => ({
  hash: `sha${bits}`,
  keyType: 'ec',
  curve,
  webCrypto: { name: 'ECDSA', namedCurve },
  format: { dsaEncoding: 'ieee-p1363' },
  isSlow: { sign: bits > 256, verify: bits > 256 },
});

const EDDSA: Scheme = {
  hash: null,
  keyType: 'ed25519',
  webCrypto: { name: 'Ed25519' },
  format: {},
  isSlow: { sign: false, verify: false },
};

const SCHEMES: ReadonlyMap<unknown, Scheme> = new Map([
  ['ES256', ecdsa(256, 'P-256', 'prime256v1')],
  ['ES384', ecdsa(384, 'P-384', 'secp384r1')],
  ['ES512', ecdsa(512, 'P-521', 'secp521r1')],
  ['EdDSA', EDDSA],
  ['Ed25519', EDDSA],
  ['RS256', pkcs1(256)],
  ['RS384', pkcs1(384)],
  ['RS512', pkcs1(512)],
  ['PS256', pss(256)],
  ['PS384', pss(384)],
  ['PS512', pss(512)],
]);

/** Computes the signature of a text in ASCII. */
export type Sign = (input: string) => Uint8Array | Promise<Uint8Array>;

/** Returns whether a signature of a text in ASCII is valid. */
export type Verify = (input: string, signature: Uint8Array) => boolean | Promise<boolean>;

const verifyInThread = promisify(verify);

/**
 * Returns a function that signs with a private key by `node:crypto`, which takes a fraction of the time of the Web
 * Crypto API. Returns `undefined` if `node:crypto` is not used for this algorithm, or the key does not fit it.
 */
export function signerFor(alg: unknown, key: KeyObject): Sign | undefined {
  const scheme = SCHEMES.get(alg);
  if (!scheme || key.type !== 'private' || !fits(scheme, key)) return undefined;
  const { hash, format, isSlow } = scheme;
  const parameters = { ...format, key };
  if (isSlow.sign) return (input) => signWithoutWaiting(hash, Buffer.from(input), parameters);
  return (input) => sign(hash, Buffer.from(input), parameters);
}

/**
 * Returns a function that verifies signatures with a public key by `node:crypto`. Returns `undefined` if `node:crypto`
 * is not used for this algorithm, or the key does not fit it. `jose` then verifies the signature, or rejects the key.
 */
export function verifierFor(alg: unknown, given: unknown): Verify | undefined {
  const scheme = SCHEMES.get(alg);
  const key = scheme && publicKeyObject(scheme, given);
  if (!key || !fits(scheme, key)) return undefined;
  const { hash, format, isSlow } = scheme;
  const parameters = { ...format, key };
  if (isSlow.verify)
    return async (input, signature) => await verifyInThread(hash, Buffer.from(input), parameters, signature);
  return (input, signature) => verify(hash, Buffer.from(input), parameters, signature);
}

/** The public keys as `node:crypto` uses them. A key is converted once, because it verifies many signatures. */
const converted = new WeakMap<webcrypto.CryptoKey, KeyObject>();

/** Returns a public key as `node:crypto` uses it. Returns `undefined` if the Web Crypto API does not allow this use. */
function publicKeyObject({ webCrypto }: Scheme, given: unknown): KeyObject | undefined {
  if (types.isKeyObject(given)) return given.type === 'public' ? given : undefined;
  if (!types.isCryptoKey(given) || given.type !== 'public' || !given.extractable) return undefined;
  const { name, hash, namedCurve } = given.algorithm as { name: string; hash?: { name: string }; namedCurve?: string };
  const isSame = name === webCrypto.name && hash?.name === webCrypto.hash && namedCurve === webCrypto.namedCurve;
  if (!isSame || !given.usages.includes('verify')) return undefined;
  let key = converted.get(given);
  if (!key) converted.set(given, (key = KeyObject.from(given)));
  return key;
}

/** Whether a key has the type and the size that an algorithm requires. RFC 7518 §3.3, §3.4 */
function fits(
  { keyType, curve }: Scheme,
  { asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject,
): boolean {
  if (type !== keyType) return false;
  return keyType === 'rsa'
    ? (details?.modulusLength ?? 0) >= 2048
    : curve === undefined || details?.namedCurve === curve;
}
