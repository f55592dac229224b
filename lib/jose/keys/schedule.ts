import type { SigningAlgorithm } from '../algorithms.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk } from '../jwk.js';

/** What a key is for, and by that whether it signs or decrypts. */
export type KeyAlgorithm = SigningAlgorithm | KeyManagementAlgorithm;

/** A key as it is kept. */
export interface StoredKey {
  kid: string;
  alg: KeyAlgorithm;
  /** The private key. */
  jwk: Jwk;
  /**
   * From when it signs, in milliseconds since the epoch: known to everybody before that. From when it is published, if it decrypts:
   * known to all processes before that.
   */
  signsFrom: number;
}

/** What a key is there for at a moment. */
export type KeyState = 'next' | 'current' | 'retiring';

/** A key as an operator sees it. */
export interface KeyInfo {
  kid: string;
  /** What it signs by, or what is encrypted to it by: ECDH-ES, say. */
  alg: KeyAlgorithm;
  /** Does it sign (`sig`), or do others encrypt to it (`enc`)? RFC 7517 §4.2 */
  use: 'sig' | 'enc';
  state: KeyState;
  /** From when it signs, or is published to be encrypted to. */
  signsFrom: Date;
}

/**
 * What the keys of one server are there for: of each algorithm the one that was the last to begin signs, the earlier ones are
 * known for so long that all they signed is over, and the later ones are known already. Of those that decrypt the current one alone is
 * published, and all are good: who encrypts may have seen an earlier one. OpenID Connect Core §10.1.1, §10.2.1
 * @param keep seconds
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
    const successor = siblings[siblings.indexOf(key) + 1]!;
    return now < successor.signsFrom + keep * 1000 ? [{ key, state: 'retiring' }] : [];
  });
}
