import { type Capabilities, collectedCapability } from '../../contracts/capability.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';

/** The algorithms that a feature needs to decrypt values which clients have encrypted to this server. */
export interface DecryptionRequirements {
  /**
   * The accepted key management algorithms. If omitted: the algorithms of the keys that `keys()` configures, or
   * `ECDH-ES` if the keys are in a store.
   */
  readonly algorithms?: readonly KeyManagementAlgorithm[] | undefined;
  /**
   * Seconds during which the same value may have to be decrypted again after its first decryption, for example after
   * the user has signed in.
   */
  readonly lifetime: number;
}

/** The capability key under which features contribute their decryption algorithms. `keys()` reads it. */
export const DECRYPTION = collectedCapability<DecryptionRequirements>('decryption');

/** The algorithms of decryption keys in a store, for a feature that specifies no algorithms. */
const DEFAULT_ALGORITHMS: readonly KeyManagementAlgorithm[] = ['ECDH-ES'];

/** Returns the key management algorithms for which a store must hold decryption keys, for all features of a server. */
export const requiredDecryptionAlgorithms = (server: Pick<Capabilities, 'all'>): readonly KeyManagementAlgorithm[] => [
  ...new Set(server.all(DECRYPTION).flatMap(({ algorithms = DEFAULT_ALGORITHMS }) => algorithms)),
];
