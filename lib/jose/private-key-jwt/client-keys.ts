import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { FetchError, SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { Client } from '../../model/model.js';
import { isObject } from '../../options/kinds.js';
import { KeyCache, type KeyCacheSettings } from '../key-cache.js';
import { readKeySet } from '../read-key-set.js';

/** What of a client says which keys it has, as it is registered or as it describes itself. RFC 7591 §2 */
interface Registered {
  jwks?: unknown;
  jwksUri?: unknown;
  metadata?: unknown;
}

const SETTINGS: KeyCacheSettings = {
  maxAge: 600,
  coolDown: 30,
  maxStale: 3600,
  // The keys of others were waited for: that must not keep this client out for longer than they do.
  isUnasked: (error) => error instanceof FetchError && error.fault === 'busy',
};

/** Keys of clients that are remembered at once: what was not asked for the longest time is forgotten first. */
const MOST = 1000;

/** The public keys of clients: those they have registered, or those at the URL that they have. RFC 7591 §2 */
export class ClientKeys {
  private readonly fetched = new Map<string, KeyCache>();
  private readonly given = new WeakMap<object, JWTVerifyGetKey>();
  private readonly fetch: SafeFetch;

  constructor(options: SafeFetchOptions = {}) {
    this.fetch = new SafeFetch({ size: 65_536, ...options });
  }

  /** @returns undefined for a client that has none */
  of(client: Client): JWTVerifyGetKey | undefined {
    const { metadata, ...own } = client as Client & Registered;
    const said = isObject(metadata) ? metadata : {};
    const jwks = own.jwks ?? said['jwks'];
    if (isObject(jwks)) return this.local(jwks);
    const uri = own.jwksUri ?? said['jwks_uri'];
    return typeof uri === 'string' ? this.remote(uri).find : undefined;
  }

  private local(jwks: object): JWTVerifyGetKey | undefined {
    let keys = this.given.get(jwks);
    const set = keys ? undefined : readKeySet(jwks);
    if (set) this.given.set(jwks, (keys = createLocalJWKSet(set)));
    return keys;
  }

  private remote(uri: string): KeyCache {
    const known = this.fetched.get(uri);
    const keys = known ?? new KeyCache(() => this.load(uri), SETTINGS);
    this.fetched.delete(uri);
    this.fetched.set(uri, keys);
    if (this.fetched.size > MOST) this.fetched.delete(this.fetched.keys().next().value!);
    return keys;
  }

  private async load(uri: string): Promise<JSONWebKeySet> {
    const { body } = await this.fetch.json(uri);
    const keys = readKeySet(body);
    if (!keys) throw new FetchError('content', `${uri} answers with something that is no JWK set`);
    return keys;
  }
}
