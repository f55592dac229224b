import { FetchError, SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { keepRecent } from '../../keep-recent.js';
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

/** The keys of clients that have them at a URL. RFC 7591 §2 (`jwks_uri`) */
export class FetchedKeys<K, C> {
  private readonly kept = new Map<string, C>();
  private readonly fetch: SafeFetch;

  constructor(
    private readonly kind: Kind<K, C>,
    options: SafeFetchOptions = {},
  ) {
    this.fetch = new SafeFetch({ size: 65_536, ...options });
  }

  at(uri: string): C {
    const keys = this.kept.get(uri) ?? this.kind.keep(() => this.load(uri), REMEMBERED);
    keepRecent(this.kept, uri, keys, MOST_CLIENTS);
    return keys;
  }

  private async load(uri: string): Promise<K> {
    const { body } = await this.fetch.json(uri);
    const keys = this.kind.read(body);
    if (!keys) throw new FetchError('content', `${uri} answers with something that is no JWK set`);
    return keys;
  }
}
