import type { SigningAlgorithm } from '../algorithms.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk } from '../jwk.js';

/** The algorithm of a key, which also determines whether the key signs or decrypts. */
export type KeyAlgorithm = SigningAlgorithm | KeyManagementAlgorithm;

/** A private key in the store. */
export interface StoredKey {
  kid: string;
  alg: KeyAlgorithm;
  /** The private key as a JWK. */
  jwk: Jwk;
  /**
   * The time from which a signing key signs, or a decryption key is published, in milliseconds since the epoch. Before
   * that time, a signing key is already published, and a decryption key is already known to all processes.
   */
  signsFrom: number;
}

/**
 * The state of a key. `next`: created, but not used yet. `current`: in use. `retiring`: replaced by a newer key, but
 * kept for a while.
 */
export type KeyState = 'next' | 'current' | 'retiring';

/** A key in the store, as operators see it. */
export interface KeyInfo {
  kid: string;
  /** The algorithm with which the key signs or decrypts, such as ES256 or ECDH-ES. */
  alg: KeyAlgorithm;
  /** Whether the key signs (`sig`) or decrypts (`enc`). RFC 7517 §4.2 */
  use: 'sig' | 'enc';
  state: KeyState;
  /** The time from which the key signs or, for a decryption key, is published. */
  signsFrom: Date;
}

/**
 * Returns the keys of a server with their states. For each algorithm, the current key is the latest one whose
 * `signsFrom` has passed. Earlier keys are kept for `keep` seconds after the next key came into use, then omitted.
 * Later keys are upcoming. OpenID Connect Core §10.1.1, §10.2.1
 * @param keep The seconds for which a rotated key is kept.
 */
export function schedule<K extends Pick<StoredKey, 'alg' | 'signsFrom'>>(
  keys: readonly K[],
  now: number,
  keep: number,
): readonly { key: K; state: KeyState }[] {
  const byAge = keys.toSorted((a, b) => a.signsFrom - b.signsFrom);
  return byAge.flatMap((key): { key: K; state: KeyState }[] => {
    const siblings = byAge.filter(({ alg }) => alg === key.alg);
    const current = siblings.findLast(({ signsFrom }) => signsFrom <= now) ?? siblings[0]!;
    if (key === current) return [{ key, state: 'current' }];
    if (siblings.indexOf(key) > siblings.indexOf(current)) return [{ key, state: 'next' }];
    const nextKey = siblings[siblings.indexOf(key) + 1]!;
    return now < nextKey.signsFrom + keep * 1000 ? [{ key, state: 'retiring' }] : [];
  });
}
