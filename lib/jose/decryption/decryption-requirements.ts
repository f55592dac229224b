import { type Capabilities, collectedCapability } from '../../contracts/capability.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';

/** The algorithms by which a feature decrypts values that clients encrypt to the server. */
export interface DecryptionRequirements {
  /** The accepted key management algorithms. If omitted, those that `keys()` has a key for. */
  readonly algorithms?: readonly KeyManagementAlgorithm[] | undefined;
  /** Seconds after the first decryption in which the same text is decrypted again, for example after the user has signed in. */
  readonly lifetime: number;
}

/** The key under which features contribute the algorithms that they decrypt by. `keys()` reads it. */
export const DECRYPTION = collectedCapability<DecryptionRequirements>('decryption');

/** What a store keeps a key for, where a feature does not say. */
const DEFAULT_ALGORITHMS: readonly KeyManagementAlgorithm[] = ['ECDH-ES'];

/** Returns the algorithms that keys in a store must decrypt with. */
export const requiredDecryptionAlgorithms = (server: Pick<Capabilities, 'all'>): readonly KeyManagementAlgorithm[] => [
  ...new Set(server.all(DECRYPTION).flatMap(({ algorithms = DEFAULT_ALGORITHMS }) => algorithms)),
];
