import { ServerError } from '../../errors.js';
import type { Awaitable } from '../../model/model.js';
import type { SigningAlgorithm } from '../algorithms.js';
import type { Jwk, JwkSet } from '../jwk.js';
import type { SigningKey } from './signing-key.js';

/** The keys of one server. */
export interface KeyRing {
  /** What everybody may know: those that sign, those that will, and those that did until a while ago. */
  published(): Awaitable<readonly Jwk[]>;
  /** The key that signs now, by an algorithm or by the server's usual one; undefined: there is none. */
  current(alg?: SigningAlgorithm): Awaitable<SigningKey | undefined>;
  /** By which algorithms it signs, the usual one first. */
  algorithms(): readonly SigningAlgorithm[];
}

/** The key that signs now. @throws ServerError where none signs by that algorithm */
export async function signingKeyOf(ring: KeyRing, alg?: SigningAlgorithm): Promise<SigningKey> {
  const key = await ring.current(alg);
  if (key) return key;
  throw new ServerError(`Server error: there is no key that signs${alg ? ` by ${alg}` : ''}`);
}

/** Signs a JWT by the key of the server. @throws ServerError where no key signs by that algorithm */
export async function signJwt(
  ring: KeyRing,
  payload: object,
  { typ, alg }: { typ: string; alg?: SigningAlgorithm | undefined },
): Promise<string> {
  return await (await signingKeyOf(ring, alg)).sign({ typ }, payload);
}

/** Keys that the host has given: of each algorithm the first one signs, and all are published. */
export class GivenKeys implements KeyRing {
  constructor(private readonly keys: readonly SigningKey[]) {}

  published(): readonly Jwk[] {
    return this.keys.map(({ publicJwk }) => publicJwk);
  }

  current(alg?: SigningAlgorithm): SigningKey | undefined {
    return alg === undefined ? this.keys[0] : this.keys.find((key) => key.alg === alg);
  }

  algorithms(): readonly SigningAlgorithm[] {
    return [...new Set(this.keys.map(({ alg }) => alg))];
  }
}

/** RFC 7517 §5 */
export const jwkSet = async (ring: KeyRing): Promise<JwkSet> => ({ keys: await ring.published() });
