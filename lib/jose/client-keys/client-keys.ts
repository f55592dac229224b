import type { JSONWebKeySet } from 'jose';
import { FETCHED_KEYS, keysOf, MOST_CLIENTS } from '../../features/client-metadata/registered-keys.js';
import { FetchError, SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { Client } from '../../model/model.js';
import { KeyCache } from '../key-cache.js';
import { readKeySet } from '../read-key-set.js';
import { keepRecent } from '../../keep-recent.js';
import { KnownKeys, type PublicKeys } from './public-keys.js';

/** The public keys of clients: those they have registered, or those at the URL that they have. RFC 7591 §2 */
export class ClientKeys {
  private readonly fetched = new Map<string, KeyCache>();
  private readonly given = new WeakMap<object, PublicKeys>();
  private readonly fetch: SafeFetch;

  constructor(options: SafeFetchOptions = {}) {
    this.fetch = new SafeFetch({ size: 65_536, ...options });
  }

  /** @returns undefined for a client that has none */
  of(client: Client): PublicKeys | undefined {
    const { jwks, uri } = keysOf(client);
    if (jwks) return this.local(jwks);
    return uri === undefined ? undefined : this.remote(uri);
  }

  private local(jwks: object): PublicKeys | undefined {
    let keys = this.given.get(jwks);
    const set = keys ? undefined : readKeySet(jwks);
    if (set) this.given.set(jwks, (keys = new KnownKeys(set)));
    return keys;
  }

  private remote(uri: string): KeyCache {
    const known = this.fetched.get(uri);
    const keys = known ?? new KeyCache(() => this.load(uri), FETCHED_KEYS);
    keepRecent(this.fetched, uri, keys, MOST_CLIENTS);
    return keys;
  }

  private async load(uri: string): Promise<JSONWebKeySet> {
    const { body } = await this.fetch.json(uri);
    const keys = readKeySet(body);
    if (!keys) throw new FetchError('content', `${uri} answers with something that is no JWK set`);
    return keys;
  }
}
