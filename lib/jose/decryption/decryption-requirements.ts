import { type Capabilities, collectedCapability } from '../../contracts/capability.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';

/** The algorithms that a feature needs to decrypt values that clients encrypt to the server. */
export interface DecryptionRequirements {
  /**
   * The accepted key management algorithms. If omitted, the algorithms of the keys in `keys()`; keys in a store then
   * use `ECDH-ES`.
   */
  readonly algorithms?: readonly KeyManagementAlgorithm[] | undefined;
  /**
   * Seconds after its first decryption in which the same value may be decrypted again, for example after the user has
   * signed in.
   */
  readonly lifetime: number;
}

/** The capability key under which features contribute their decryption algorithms. `keys()` reads it. */
export const DECRYPTION = collectedCapability<DecryptionRequirements>('decryption');

/** The algorithms of decryption keys in a store, for features that specify none. */
const DEFAULT_ALGORITHMS: readonly KeyManagementAlgorithm[] = ['ECDH-ES'];

/** Returns the algorithms for which a store must hold decryption keys. */
export const requiredDecryptionAlgorithms = (server: Pick<Capabilities, 'all'>): readonly KeyManagementAlgorithm[] => [
  ...new Set(server.all(DECRYPTION).flatMap(({ algorithms = DEFAULT_ALGORITHMS }) => algorithms)),
];
