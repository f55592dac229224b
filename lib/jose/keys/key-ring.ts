import { ServerError } from '../../errors/index.js';
import type { Awaitable } from '../../model/model.js';
import type { SigningAlgorithm } from '../algorithms.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';
import type { Jwk, JwkSet } from '../jwk.js';
import type { DecryptionKey } from './decryption-key.js';
import type { SigningKey } from './signing-key.js';

/** The signing and decryption keys of one server. */
export interface KeyRing {
  /**
   * Returns the public keys to publish: the current, upcoming and recently rotated signing keys, and the current
   * decryption key of each algorithm.
   */
  published(): Awaitable<readonly Jwk[]>;
  /** Verifies that the secret decrypts the keys in the store. */
  verifySecret?(): Promise<void>;
  /**
   * Returns the current signing key for an algorithm, or `undefined` if no key supports it. If `alg` is omitted, the
   * first algorithm of `keys()` is used.
   */
  current(alg?: SigningAlgorithm): Awaitable<SigningKey | undefined>;
  /** Returns the signature algorithms of the server, the default first. */
  algorithms(): readonly SigningAlgorithm[];
  /**
   * Returns the algorithms with which clients can encrypt to the server. The list is empty if it has no decryption key.
   */
  decryptionAlgorithms(): readonly KeyManagementAlgorithm[];
  /**
   * Returns the decryption key with this algorithm and key ID, or the published one if `kid` is `undefined`. Returns
   * `undefined` if no key matches.
   */
  decryptionKey(alg: KeyManagementAlgorithm, kid: string | undefined): Awaitable<DecryptionKey | undefined>;
}

/**
 * Returns the current signing key for an algorithm. If `alg` is omitted, for the first algorithm of `keys()`.
 * @throws {ServerError} If the server has no key for the algorithm.
 */
export async function signingKeyOf(ring: KeyRing, alg?: SigningAlgorithm): Promise<SigningKey> {
  const key = await ring.current(alg);
  if (key) return key;
  throw new ServerError(`Server error: there is no signing key${alg ? ` for ${alg}` : ''}`);
}

/**
 * Signs a JWT with the current key of the server.
 * @throws {ServerError} If the server has no key for the algorithm.
 */
export async function signJwt(
  ring: KeyRing,
  payload: object,
  { typ, alg }: { typ: string; alg?: SigningAlgorithm | undefined },
): Promise<string> {
  return await (await signingKeyOf(ring, alg)).sign({ typ }, payload);
}

/**
 * The keys that the application configures. Of each algorithm, the first signing key signs, and the first decryption
 * key is published for encryption. All signing keys are published, and all decryption keys decrypt.
 */
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

/** Returns the published public keys as a JWK set. RFC 7517 §5 */
export const jwkSet = async (ring: KeyRing): Promise<JwkSet> => ({ keys: await ring.published() });
