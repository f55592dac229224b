import type { JWTVerifyGetKey } from 'jose';
import { FetchError, SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import { keepRecent } from '../../crypto/lru.js';
import { untilAborted } from '../../remote/timeout.js';
import { type IssuerOptions, issuerKeys, type IssuerSettings, settleIssuer } from '../issuer-keys.js';

/** Issuers whose keys are remembered at once: what was not asked for the longest time is forgotten first. */
const MAX_CACHED = 1000;

/** The keys of issuers that a model knows. Somebody else has named them: what they lead to is fetched from public addresses alone. */
export class ModelIssuers {
  private readonly cache = new Map<string, JWTVerifyGetKey>();
  private readonly safeFetch: SafeFetch;

  constructor(
    private readonly feature: string,
    options: SafeFetchOptions = {},
  ) {
    this.safeFetch = new SafeFetch({ size: 65_536, ...options });
  }

  /** @throws InvalidArgumentError with a sentence for an issuer that cannot work */
  keysOf(given: IssuerOptions): { settings: IssuerSettings; keys: JWTVerifyGetKey } {
    const settings = { ...settleIssuer(`an issuer of ${this.feature}`, given), fetch: this.fetch };
    const { issuer, jwks, jwksUri } = settings;
    if (jwks) return { settings, keys: issuerKeys(settings, this) };
    const place = JSON.stringify([issuer, jwksUri]);
    const keys = this.cache.get(place) ?? issuerKeys(settings, this);
    keepRecent(this.cache, place, keys, MAX_CACHED);
    return { settings, keys };
  }

  /** As those ask who read metadata. What is not there may be elsewhere. */
  private readonly fetch: typeof fetch = async (input, init) => {
    try {
      const { body } = await untilAborted(init!.signal!, this.safeFetch.json(input as string));
      return Response.json(body);
    } catch (error) {
      if (error instanceof FetchError && error.kind === 'answer') return new Response(null, { status: 404 });
      throw error;
    }
  };
}
