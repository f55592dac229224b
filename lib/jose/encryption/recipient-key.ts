import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { CompactEncrypt, type JSONWebKeySet } from 'jose';
import { findPublicKeyError } from '../../clients/public-key.js';
import type { KeyManagementAlgorithm } from './algorithms.js';

/** A public key of a client that responses are encrypted to. */
export interface RecipientKey {
  readonly key: KeyObject;
  readonly kid: string | undefined;
}

/** Maximum number of keys of a client that are tried for one algorithm. */
const MAX_CANDIDATES = 4;

/** The results of `recipientKey()`, by key set and algorithm. */
const cache = new WeakMap<JSONWebKeySet, Map<string, Promise<RecipientKey | undefined>>>();

/**
 * Returns the first suitable key of a client for an algorithm, or `undefined` if no key is suitable. The result is
 * cached. OpenID Connect Core §10.2
 */
export function recipientKey(keys: JSONWebKeySet, alg: KeyManagementAlgorithm): Promise<RecipientKey | undefined> {
  const byAlgorithm = cache.get(keys) ?? new Map<string, Promise<RecipientKey | undefined>>();
  cache.set(keys, byAlgorithm);
  const selected = byAlgorithm.get(alg) ?? selectKey(keys, alg);
  byAlgorithm.set(alg, selected);
  return selected;
}

async function selectKey({ keys }: JSONWebKeySet, alg: KeyManagementAlgorithm): Promise<RecipientKey | undefined> {
  const suitable = keys.filter((jwk) => isSuitable(jwk, alg)).toSorted((one, other) => rank(one) - rank(other));
  for (const jwk of suitable.slice(0, MAX_CANDIDATES)) {
    const key = await importKey(jwk, alg);
    const { kid } = jwk;
    if (key) return { key, kid: typeof kid === 'string' && kid !== '' ? kid : undefined };
  }
  return undefined;
}

type JwkMembers = Readonly<Record<string, unknown>>;

/**
 * Whether a key of a client is intended for an algorithm, and meets the requirements for public keys of clients.
 * RFC 7517 §4.2 to §4.4
 */
function isSuitable(jwk: JwkMembers, alg: KeyManagementAlgorithm): boolean {
  const { use = 'enc', key_ops: operations, alg: keyAlg = alg, kty, crv } = jwk;
  const isForSigning = Array.isArray(operations) && operations.some((one) => one === 'verify' || one === 'sign');
  if (use !== 'enc' || keyAlg !== alg || isForSigning || findPublicKeyError(jwk) !== undefined) return false;
  if (alg === 'RSA-OAEP-256') return kty === 'RSA';
  return kty === 'EC' || (kty === 'OKP' && crv === 'X25519');
}

/**
 * Returns the rank of a key, lower first. Keys that declare `alg` come first, and among equal ones those that declare
 * `use`.
 */
const rank = ({ use, alg }: JwkMembers): number => (alg === undefined ? 2 : 0) + (use === undefined ? 1 : 0);

/**
 * Imports a public key and encrypts an empty text to it as a test. Returns `undefined` if that fails, for example
 * because a point is not on its curve. The failure is found before a code or token is consumed.
 */
async function importKey(
  { kty, crv, x, y, n, e }: JwkMembers,
  alg: KeyManagementAlgorithm,
): Promise<KeyObject | undefined> {
  try {
    const key = createPublicKey({ key: { kty, crv, x, y, n, e } as JsonWebKey, format: 'jwk' });
    await new CompactEncrypt(new Uint8Array()).setProtectedHeader({ alg, enc: 'A128GCM' }).encrypt(key);
    return key;
  } catch {
    // Any failure means that the key of the client cannot be used.
    return undefined;
  }
}
