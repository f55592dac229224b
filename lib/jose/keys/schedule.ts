import type { SigningAlgorithm } from '../algorithms.js';
import type { Jwk } from '../jwk.js';

/** A key as it is kept. */
export interface KeptKey {
  kid: string;
  alg: SigningAlgorithm;
  /** The private key. */
  jwk: Jwk;
  /** From when it signs, in milliseconds since the epoch: known to everybody before that. */
  signsFrom: number;
}

/** What a key is there for at a moment. */
export type KeyState = 'next' | 'current' | 'retiring';

/** A key as an operator sees it. */
export interface KeyInfo {
  kid: string;
  alg: SigningAlgorithm;
  state: KeyState;
  /** From when it signs, or has signed. */
  signsFrom: Date;
}

/**
 * What the keys of one server are there for: of each algorithm the one that was the last to begin signs, the earlier ones are
 * known for so long that all they signed is over, and the later ones are known already.
 * @param keep seconds
 */
export function schedule<K extends Pick<KeptKey, 'alg' | 'signsFrom'>>(
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
