import { FetchError, SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { keepRecent } from '../../crypto/lru.js';
import type { RefreshingCacheSettings } from '../../remote/refreshing-cache.js';

/** How what was fetched is remembered. */
const CACHE_SETTINGS: RefreshingCacheSettings = {
  maxAge: 600,
  coolDown: 30,
  maxStale: 3600,
  // The keys of others were waited for: that must not keep this client out for longer than they do.
  skipsCoolDown: (error) => error instanceof FetchError && error.kind === 'busy',
};

/** Clients whose keys are remembered at once: what was not asked for the longest time is forgotten first. */
const MAX_CLIENTS = 1000;

/** How keys are read, and what keeps them. */
interface KeyFormat<K, C> {
  /** Undefined: the document is no JWK set. */
  read(document: unknown): K | undefined;
  createCache(load: () => Promise<K>, settings: RefreshingCacheSettings): C;
}

/** The keys at one URI. */
interface KeysOfUri<C> {
  keys: C;
  /** The network of the latest request that needed these keys, if known. */
  requester: string | undefined;
}

/** The keys of clients that have them at a URL. RFC 7591 §2 (`jwks_uri`) */
export class FetchedKeys<K, C> {
  private readonly caches = new Map<string, KeysOfUri<C>>();
  private readonly fetch: SafeFetch;

  constructor(
    private readonly kind: KeyFormat<K, C>,
    options: SafeFetchOptions = {},
  ) {
    this.fetch = new SafeFetch({ size: 65_536, ...options });
  }

  /**
   * Returns the cache of the keys at a URI.
   * @param requester The network of the request that needs the keys, if known. It limits simultaneous fetches.
   */
  at(uri: string, requester?: string): C {
    const known = this.caches.get(uri) ?? this.cacheOf(uri);
    known.requester = requester;
    keepRecent(this.caches, uri, known, MAX_CLIENTS);
    return known.keys;
  }

  private cacheOf(uri: string): KeysOfUri<C> {
    const keys = this.kind.createCache(() => this.load(uri, created.requester), CACHE_SETTINGS);
    const created: KeysOfUri<C> = { keys, requester: undefined };
    return created;
  }

  private async load(uri: string, requester: string | undefined): Promise<K> {
    const { body } = await this.fetch.json(uri, requester);
    const keys = this.kind.read(body);
    if (!keys) throw new FetchError('content', `${uri} answers with something that is no JWK set`);
    return keys;
  }
}
