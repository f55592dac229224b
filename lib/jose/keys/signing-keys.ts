import { InvalidArgumentError } from '../../errors.js';
import type { OAuth2Server } from '../../server.js';
import type { SigningAlgorithm } from '../algorithms.js';
import { findKeys } from './keys.js';
import type { KeyInfo } from './schedule.js';
import { StoredKeys } from './stored-keys.js';

/** What an operator may do with the keys that the store keeps. */
export interface SigningKeys {
  /** All keys that are known, the oldest first. */
  list(): Promise<readonly KeyInfo[]>;
  /**
   * Makes a key that signs as soon as everybody may know it (`lead` of `keys()`). The one before it stays known until all it
   * signed is over. Where a next key waits already, that one is it.
   * @param options `alg`: of which algorithm, by default the usual one; `now`: sign with it at once, so that APIs refuse its
   *   tokens until they look for keys again
   * @returns the `kid`
   */
  rotate(options?: { alg?: SigningAlgorithm; now?: boolean }): Promise<string>;
  /** Forgets a key that somebody else has got: what it signed is good no more, and another one signs at once. */
  remove(kid: string): Promise<boolean>;
}

/** The keys of a server, for its operator. @throws InvalidArgumentError where the host brings them, or there are none */
export function signingKeys(server: OAuth2Server): SigningKeys {
  const ring = findKeys(server.facts);
  if (ring instanceof StoredKeys) return ring;
  const why = ring ? 'the keys are those that the host gives `keys()`' : '`keys()` is not among the `features`';
  throw new InvalidArgumentError(`Invalid argument: ${why}: there is nothing to change`);
}
