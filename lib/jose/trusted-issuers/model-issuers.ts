import type { JWTVerifyGetKey } from 'jose';
import { FetchError, SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { keepRecent } from '../../crypto/lru.js';
import { untilAborted } from '../../remote/timeout.js';
import { type IssuerOptions, issuerKeys, type IssuerSettings, settleIssuer } from '../issuer-keys.js';

/** Maximum number of issuers whose keys are cached. The least recently used one is removed first. */
const MAX_CACHED = 1000;

/**
 * Fetches and caches the keys of issuers that the model returned. The model looks these issuers up by a name from the
 * client's request. To prevent SSRF, keys are fetched from public addresses only, unless the options allow others.
 */
export class ModelIssuers {
  private readonly cache = new Map<string, JWTVerifyGetKey>();
  private readonly safeFetch: SafeFetch;

  constructor(
    private readonly feature: string,
    options: SafeFetchOptions = {},
  ) {
    this.safeFetch = new SafeFetch({ size: 65_536, ...options });
  }

  /**
   * Validates an issuer and returns its settings and its keys.
   * @throws {InvalidArgumentError} If an option of the issuer is invalid.
   */
  keysOf(given: IssuerOptions): { settings: IssuerSettings; keys: JWTVerifyGetKey } {
    const settings = { ...settleIssuer(`an issuer of ${this.feature}`, given), fetch: this.fetch };
    const { issuer, jwks, jwksUri } = settings;
    if (jwks) return { settings, keys: issuerKeys(settings, this) };
    const cacheKey = JSON.stringify([issuer, jwksUri]);
    const keys = this.cache.get(cacheKey) ?? issuerKeys(settings, this);
    keepRecent(this.cache, cacheKey, keys, MAX_CACHED);
    return { settings, keys };
  }

  /**
   * A replacement for `fetch` that reaches public addresses only. A response without valid JSON becomes 404, so that
   * discovery tries the next URL.
   */
  private readonly fetch: typeof fetch = async (input, init) => {
    try {
      const { body } = await untilAborted(init!.signal!, this.safeFetch.json(input as string));
      return Response.json(body);
    } catch (error) {
      if (error instanceof FetchError && error.kind === 'response') return new Response(null, { status: 404 });
      throw error;
    }
  };
}
