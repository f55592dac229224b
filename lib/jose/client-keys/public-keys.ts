import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Awaitable } from '../../model/model.js';

/** The public keys of a client or another server, to verify its signatures and to encrypt to it. RFC 7517 §5 */
export interface PublicKeys {
  /** Finds the key that belongs to the header of a signed JWT. It is a function of the type that `jose` expects. */
  readonly find: JWTVerifyGetKey;
  /** Passes the key set to `selector` and returns its result. Returns `undefined` if no key is suitable. */
  select<T extends object>(selector: KeySelector<T>): Promise<T | undefined>;
}

/** A function that selects a value from a key set. It returns `undefined` if no key is suitable. */
export type KeySelector<T extends object> = (keys: JSONWebKeySet) => Awaitable<T | undefined>;

/** Public keys from a fixed key set in memory. */
export class LocalKeys implements PublicKeys {
  readonly find: JWTVerifyGetKey;

  constructor(private readonly keys: JSONWebKeySet) {
    this.find = createLocalJWKSet(keys);
  }

  async select<T extends object>(selector: KeySelector<T>): Promise<T | undefined> {
    return await selector(this.keys);
  }
}
