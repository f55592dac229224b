import { InvalidArgumentError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import { findKeys } from './find-keys.js';
import type { KeyRing } from './key-ring.js';
import type { KeyAlgorithm, KeyInfo } from './schedule.js';

/**
 * The administration of the keys that `keys()` keeps in the store: signing keys, and decryption keys if a feature
 * accepts encrypted values.
 */
export interface SigningKeys {
  /** Returns all keys in the store, the oldest first. */
  list(): Promise<readonly KeyInfo[]>;
  /**
   * Creates a key that replaces the current one of its algorithm, after `lead` seconds unless `now` is set. The
   * previous key is kept for `keep` seconds: a signing key stays published, a decryption key still decrypts. If an
   * upcoming key already exists, none is created.
   * @param options `alg`: the algorithm of the key, by default the first signature algorithm. `now`: whether the key is
   * used immediately. APIs then reject its tokens until they fetch the keys again.
   * @returns The `kid` of the new or upcoming key.
   */
  rotate(options?: { alg?: KeyAlgorithm; now?: boolean }): Promise<string>;
  /**
   * Removes a compromised key. If it is the current key of its algorithm, creates one that is used immediately.
   * Everything that it signed becomes invalid, and values that were encrypted to it can no longer be decrypted.
   * @returns Whether a key with this `kid` existed.
   */
  remove(kid: string): Promise<boolean>;
}

/**
 * Returns the administration of the keys in the store of a server.
 * @throws {InvalidArgumentError} If the server has no `keys()`, or the application configures the keys.
 */
export function signingKeys(server: { readonly context: ServerContext }): SigningKeys {
  const ring = findKeys(server.context);
  if (ring && isStored(ring)) return ring;
  const reason = ring
    ? 'the application configures the keys in `from` of `keys()`'
    : '`keys()` is not among the `features`';
  throw new InvalidArgumentError(`Invalid argument: the server keeps no keys in its store: ${reason}`);
}

/** Whether the keys are in a store. `instanceof` would fail for a key ring of another build of the package. */
const isStored = (ring: KeyRing): ring is KeyRing & SigningKeys => 'rotate' in ring;
