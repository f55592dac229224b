import { FetchError, SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { keepRecent } from '../../crypto/lru.js';
import type { RefreshingCacheSettings } from '../../remote/refreshing-cache.js';

/** How long fetched keys of clients are cached, in seconds. */
const CACHE_SETTINGS: RefreshingCacheSettings = {
  maxAge: 600,
  coolDown: 30,
  maxStale: 3600,
  // A fetch that failed because of the concurrency limit was never sent, so it does not start the cool-down.
  skipsCoolDown: (error) => error instanceof FetchError && error.kind === 'busy',
};

/** Maximum number of URIs whose keys are cached. The least recently used ones are dropped first. */
const MAX_CLIENTS = 1000;

/** How a key set is parsed and cached. */
interface KeyFormat<K, C> {
  /** Parses a JWK set. Returns `undefined` if the document is not a JWK set. */
  read(document: unknown): K | undefined;
  createCache(load: () => Promise<K>, settings: RefreshingCacheSettings): C;
}

/** The cached keys of one URI. */
interface KeysOfUri<C> {
  keys: C;
  /** The network of the latest request that needed these keys, if known. */
  requester: string | undefined;
}

/** Fetches and caches the keys of clients with a `jwks_uri`. RFC 7591 §2 */
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
   * Returns the cache of the keys at a URI. Keys are fetched when the cache is read.
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
    if (!keys) throw new FetchError('content', `the response of ${uri} is not a JWK set`);
    return keys;
  }
}
