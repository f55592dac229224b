import type { JSONWebKeySet } from 'jose';
import { FetchedKeys } from '../../clients/registration/fetched-keys.js';
import { keysOf } from '../../clients/registration/registered-keys.js';
import { requesterNetwork } from '../../http/network.js';
import type { Request } from '../../http/request.js';
import type { SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { CoreClient } from '../../model/model.js';
import { KeyCache } from '../key-cache.js';
import { readKeySet } from '../read-key-set.js';
import { LocalKeys, type PublicKeys } from './public-keys.js';

/**
 * The public keys of clients, from their registered `jwks` or `jwks_uri`. Keys at a `jwks_uri` are fetched and cached.
 * RFC 7591 §2
 */
export class ClientKeys {
  private readonly fetched: FetchedKeys<JSONWebKeySet, KeyCache>;
  private readonly registered = new WeakMap<object, PublicKeys>();

  constructor(options?: SafeFetchOptions) {
    this.fetched = new FetchedKeys(
      { read: readKeySet, createCache: (...settings) => new KeyCache(...settings) },
      options,
    );
  }

  /**
   * Returns the registered keys of a client, or the cached keys at its `jwks_uri`. Returns `undefined` if it has
   * registered neither.
   * @param request The request of the client for which the keys are needed. The number of simultaneous fetches is
   * limited per client network.
   */
  of(client: CoreClient, request?: Request): PublicKeys | undefined {
    const { jwks, uri } = keysOf(client);
    if (jwks) return this.registeredKeys(jwks);
    return uri === undefined ? undefined : this.fetched.at(uri, requesterNetwork(request));
  }

  private registeredKeys(jwks: object): PublicKeys | undefined {
    let keys = this.registered.get(jwks);
    const set = keys ? undefined : readKeySet(jwks);
    if (set) this.registered.set(jwks, (keys = new LocalKeys(set)));
    return keys;
  }
}
