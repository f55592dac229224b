import type { Client } from '../model/model.js';
import { LOGO_URI } from '../clients/registration/client-fields.js';
import { commonHost, hostOf } from '../clients/registration/sector-host.js';
import { SAFE_FETCH_OPTIONS, SafeFetch, type SafeFetchOptions } from '../http/safe-fetch/index.js';
import { assertKnownOptions } from '../options/unknown-option.js';
import { keepRecent } from '../crypto/lru.js';
import { RefreshingCache, type RefreshingCacheSettings } from '../remote/refreshing-cache.js';
import { imageType } from './image-type.js';

/** How long logos are cached, in seconds. A logo that cannot be fetched is requested again after five minutes. */
const CACHED: RefreshingCacheSettings = { maxAge: 3600, coolDown: 300, maxStale: 86_400 };

/** Maximum number of cached logos. Clients that register themselves must not be able to fill the memory. */
const MAX_LOGOS = 100;

/** Maximum size of a logo in bytes. */
const MAX_SIZE = 65_536;

/**
 * The logos of clients, fetched by the server and embedded in its pages. Browsers never request anything from a client's host, so
 * a logo tracks no users. RFC 7591 §2, §5
 */
export class ClientLogos {
  private readonly fetch: SafeFetch;
  private readonly logos = new Map<string, RefreshingCache<string | undefined>>();

  /** @throws {InvalidArgumentError} If an option is unknown or invalid. */
  constructor(options: SafeFetchOptions = {}) {
    assertKnownOptions(options, SAFE_FETCH_OPTIONS, '`clientLogos` of `pages()`');
    this.fetch = new SafeFetch({ size: MAX_SIZE, timeout: 2, ...options });
  }

  /** Returns the logo of a client as a `data:` URI. Returns `undefined` if the client has no logo or its logo is invalid. */
  async find(client: Client): Promise<string | undefined> {
    const uri = LOGO_URI.of(client);
    if (typeof uri !== 'string' || !this.fetch.isFetchable(uri) || !mayShow(client, uri)) return undefined;
    const logo = this.logos.get(uri) ?? new RefreshingCache(() => this.load(uri), CACHED);
    keepRecent(this.logos, uri, logo, MAX_LOGOS);
    // The page is shown without a logo rather than not at all.
    return logo.current().catch(() => undefined);
  }

  private async load(uri: string): Promise<string | undefined> {
    const { body } = await this.fetch.bytes(uri, 'image/png, image/jpeg');
    const type = imageType(body);
    return type && `data:${type};base64,${body.toString('base64')}`;
  }
}

/**
 * Whether the logo's host belongs to the client. The operator vouches for the clients that it registers. A client that describes
 * itself may use only the host of its client identifier, or the one host of all its redirect URIs: it may list redirect URIs of other sites,
 * and must not be able to show their logos. RFC 7591 §5
 */
function mayShow(client: Client, logo: string): boolean {
  const { metadata } = client as { metadata?: unknown };
  if (metadata === undefined || metadata === null) return true;
  const own = [
    client.clientIdHost === undefined ? undefined : hostOf(client.id),
    commonHost(client.redirectUris ?? []),
  ];
  return own.includes(hostOf(logo));
}
