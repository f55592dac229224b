import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { CompactEncrypt, type JSONWebKeySet } from 'jose';
import { findPublicKeyError } from '../../clients/public-key.js';
import type { KeyManagementAlgorithm } from './algorithms.js';

/** A key of a client that answers are encrypted to. */
export interface RecipientKey {
  readonly key: KeyObject;
  readonly kid: string | undefined;
}

/** Keys that are tried for one algorithm. */
const MAX_CANDIDATES = 4;

/** What was found, by the keys it was found among. */
const cache = new WeakMap<JSONWebKeySet, Map<string, Promise<RecipientKey | undefined>>>();

/** The key among those of a client that an algorithm encrypts to: the first one that is good. OpenID Connect Core §10.2 */
export function recipientKey(keys: JSONWebKeySet, alg: KeyManagementAlgorithm): Promise<RecipientKey | undefined> {
  const known = cache.get(keys) ?? new Map<string, Promise<RecipientKey | undefined>>();
  cache.set(keys, known);
  const found = known.get(alg) ?? selectKey(keys, alg);
  known.set(alg, found);
  return found;
}

async function selectKey({ keys }: JSONWebKeySet, alg: KeyManagementAlgorithm): Promise<RecipientKey | undefined> {
  const fit = keys.filter((jwk) => isSuitable(jwk, alg)).toSorted((one, other) => rank(one) - rank(other));
  for (const jwk of fit.slice(0, MAX_CANDIDATES)) {
    const key = await importKey(jwk, alg);
    const { kid } = jwk;
    if (key) return { key, kid: typeof kid === 'string' && kid !== '' ? kid : undefined };
  }
  return undefined;
}

type JwkMembers = Readonly<Record<string, unknown>>;

/** Whether a key is meant for an algorithm, and within the limits of keys of strangers. RFC 7517 §4.2 to §4.4 */
function isSuitable(jwk: JwkMembers, alg: KeyManagementAlgorithm): boolean {
  const { use = 'enc', key_ops: operations, alg: own = alg, kty, crv } = jwk;
  const isForSigning = Array.isArray(operations) && operations.some((one) => one === 'verify' || one === 'sign');
  if (use !== 'enc' || own !== alg || isForSigning || findPublicKeyError(jwk) !== undefined) return false;
  if (alg === 'RSA-OAEP-256') return kty === 'RSA';
  return kty === 'EC' || (kty === 'OKP' && crv === 'X25519');
}

/** First of all what says itself that it is for that. */
const rank = ({ use, alg }: JwkMembers): number => (alg === undefined ? 2 : 0) + (use === undefined ? 1 : 0);

/**
 * The key itself, if it is one: something is encrypted to it, so that what is wrong with it, a point that is not on its curve or of a
 * small order say, is known before anything is spent for an answer.
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
    // Whatever a stranger has written there: no key is what it is.
    return undefined;
  }
}
