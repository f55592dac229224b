import type { JSONWebKeySet } from 'jose';
import { FetchedKeys } from '../../features/client-metadata/fetched-keys.js';
import { keysOf } from '../../features/client-metadata/registered-keys.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { Client } from '../../model/model.js';
import { KeyCache } from '../key-cache.js';
import { readKeySet } from '../read-key-set.js';
import { KnownKeys, type PublicKeys } from './public-keys.js';

/** The public keys of clients: those they have registered, or those at the URL that they have. RFC 7591 §2 */
export class ClientKeys {
  private readonly fetched: FetchedKeys<JSONWebKeySet, KeyCache>;
  private readonly given = new WeakMap<object, PublicKeys>();

  constructor(options?: SafeFetchOptions) {
    this.fetched = new FetchedKeys({ read: readKeySet, keep: (...given) => new KeyCache(...given) }, options);
  }

  /** @returns undefined for a client that has none */
  of(client: Client): PublicKeys | undefined {
    const { jwks, uri } = keysOf(client);
    if (jwks) return this.local(jwks);
    return uri === undefined ? undefined : this.fetched.at(uri);
  }

  private local(jwks: object): PublicKeys | undefined {
    let keys = this.given.get(jwks);
    const set = keys ? undefined : readKeySet(jwks);
    if (set) this.given.set(jwks, (keys = new KnownKeys(set)));
    return keys;
  }
}
