import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Awaitable } from '../../model/model.js';

/** The public keys of somebody else: to verify by, and to encrypt to. RFC 7517 §5 */
export interface PublicKeys {
  /** As `jose` asks for a key: by the header of what is signed. */
  readonly find: JWTVerifyGetKey;
  /** What `from` takes of the keys; undefined: nothing of them is good for it. */
  select<T extends object>(selector: KeySelector<T>): Promise<T | undefined>;
}

/** Takes something of keys. */
export type KeySelector<T extends object> = (keys: JSONWebKeySet) => Awaitable<T | undefined>;

/** Keys that are known. */
export class LocalKeys implements PublicKeys {
  readonly find: JWTVerifyGetKey;

  constructor(private readonly keys: JSONWebKeySet) {
    this.find = createLocalJWKSet(keys);
  }

  async select<T extends object>(selector: KeySelector<T>): Promise<T | undefined> {
    return await selector(this.keys);
  }
}
