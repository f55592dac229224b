import { ServerError } from '../../errors/index.js';
import type { Awaitable } from '../../model/model.js';
import type { SigningAlgorithm } from '../algorithms.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk, JwkSet } from '../jwk.js';
import type { DecryptionKey } from './decryption-key.js';
import type { SigningKey } from './signing-key.js';

/** The keys of one server. */
export interface KeyRing {
  /**
   * What everybody may know: those that sign, those that will, and those that did until a while ago; and the one to encrypt to now, of
   * each algorithm.
   */
  published(): Awaitable<readonly Jwk[]>;
  /** The key that signs now, by an algorithm or by the server's usual one; undefined: there is none. */
  current(alg?: SigningAlgorithm): Awaitable<SigningKey | undefined>;
  /** By which algorithms it signs, the usual one first. */
  algorithms(): readonly SigningAlgorithm[];
  /** By which algorithms something may be encrypted to it; none: by no one. */
  decryptionAlgorithms(): readonly KeyManagementAlgorithm[];
  /** The key that something was encrypted to: the one of that name, or else the one that is published; undefined: there is none. */
  decryptionKey(alg: KeyManagementAlgorithm, kid: string | undefined): Awaitable<DecryptionKey | undefined>;
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

/** Keys that the host has given: of each algorithm the first one signs, or is published to be encrypted to; all verify and decrypt. */
export class ConfiguredKeys implements KeyRing {
  constructor(
    private readonly keys: readonly SigningKey[],
    private readonly decryptionKeys: readonly DecryptionKey[],
  ) {}

  published(): readonly Jwk[] {
    const first = this.decryptionAlgorithms().map((alg) => this.decryptionKeys.find((key) => key.alg === alg)!);
    return [...this.keys, ...first].map(({ publicJwk }) => publicJwk);
  }

  current(alg?: SigningAlgorithm): SigningKey | undefined {
    return alg === undefined ? this.keys[0] : this.keys.find((key) => key.alg === alg);
  }

  algorithms(): readonly SigningAlgorithm[] {
    return [...new Set(this.keys.map(({ alg }) => alg))];
  }

  decryptionAlgorithms(): readonly KeyManagementAlgorithm[] {
    return [...new Set(this.decryptionKeys.map(({ alg }) => alg))];
  }

  decryptionKey(alg: KeyManagementAlgorithm, kid: string | undefined): DecryptionKey | undefined {
    return this.decryptionKeys.find((key) => key.alg === alg && (kid === undefined || key.kid === kid));
  }
}

/** RFC 7517 §5 */
export const jwkSet = async (ring: KeyRing): Promise<JwkSet> => ({ keys: await ring.published() });
