import { InvalidArgumentError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import { findKeys } from './find-keys.js';
import type { KeyRing } from './key-ring.js';
import type { KeyAlgorithm, KeyInfo } from './schedule.js';

/** What an operator may do with the keys that the store keeps: those that sign, and those that decrypt, if a feature reads what is encrypted. */
export interface SigningKeys {
  /** All keys that are known, the oldest first. */
  list(): Promise<readonly KeyInfo[]>;
  /**
   * Makes a key that signs as soon as everybody may know it (`lead` of `keys()`). The one before it stays known until all it
   * signed is over. Where a next key waits already, that one is it. A key that decrypts is published in place of the one before it, which
   * decrypts for `keep` seconds more.
   * @param options `alg`: of which algorithm, by default the usual one that signs; `now`: sign with it at once, so that APIs refuse its
   *   tokens until they look for keys again
   * @returns the `kid`
   */
  rotate(options?: { alg?: KeyAlgorithm; now?: boolean }): Promise<string>;
  /**
   * Forgets a key that somebody else has got: what it signed is good no more, what was encrypted to it is not read, and another one
   * takes its place at once.
   */
  remove(kid: string): Promise<boolean>;
}

/**
 * Returns the administration of the keys that the store of a server keeps.
 * @throws {InvalidArgumentError} If the server has no `keys()`, or the application gives the keys.
 */
export function signingKeys(server: { readonly context: ServerContext }): SigningKeys {
  const ring = findKeys(server.context);
  if (ring && isStored(ring)) return ring;
  const why = ring ? 'the keys are those that the host gives `keys()`' : '`keys()` is not among the `features`';
  throw new InvalidArgumentError(`Invalid argument: ${why}: there is nothing to change`);
}

/** Those of another build of the package are of another class. */
const isStored = (ring: KeyRing): ring is KeyRing & SigningKeys => 'rotate' in ring;
