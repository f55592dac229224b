import { FetchError, SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { keepRecent } from '../../crypto/lru.js';
import type { RenewedSettings } from '../../remote/renewed.js';

/** How what was fetched is remembered. */
const REMEMBERED: RenewedSettings = {
  maxAge: 600,
  coolDown: 30,
  maxStale: 3600,
  // The keys of others were waited for: that must not keep this client out for longer than they do.
  isUnasked: (error) => error instanceof FetchError && error.fault === 'busy',
};

/** Clients whose keys are remembered at once: what was not asked for the longest time is forgotten first. */
const MOST_CLIENTS = 1000;

/** How keys are read, and what keeps them. */
interface Kind<K, C> {
  /** Undefined: the document is no JWK set. */
  read(document: unknown): K | undefined;
  keep(load: () => Promise<K>, settings: RenewedSettings): C;
}

/** The keys at one URI. */
interface KeysOfUri<C> {
  keys: C;
  /** The network of the latest request that needed these keys, if known. */
  requester: string | undefined;
}

/** The keys of clients that have them at a URL. RFC 7591 §2 (`jwks_uri`) */
export class FetchedKeys<K, C> {
  private readonly kept = new Map<string, KeysOfUri<C>>();
  private readonly fetch: SafeFetch;

  constructor(
    private readonly kind: Kind<K, C>,
    options: SafeFetchOptions = {},
  ) {
    this.fetch = new SafeFetch({ size: 65_536, ...options });
  }

  /**
   * Returns the cache of the keys at a URI.
   * @param requester The network of the request that needs the keys, if known. It limits simultaneous fetches.
   */
  at(uri: string, requester?: string): C {
    const known = this.kept.get(uri) ?? this.cacheOf(uri);
    known.requester = requester;
    keepRecent(this.kept, uri, known, MOST_CLIENTS);
    return known.keys;
  }

  private cacheOf(uri: string): KeysOfUri<C> {
    const keys = this.kind.keep(() => this.load(uri, created.requester), REMEMBERED);
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
