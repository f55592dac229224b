import type { Client } from '../../../lib/index.js';
import {
  commonHost,
  hostOf,
  keepRecent,
  LOGO_URI,
  RefreshingCache,
  type RefreshingCacheSettings,
  SafeFetch,
  type SafeFetchOptions,
} from '../../../lib/internal.js';
import { imageType } from './image-type.js';

/** How long logos are cached, in seconds. A logo that cannot be fetched is requested again after five minutes. */
const CACHED: RefreshingCacheSettings = { maxAge: 3600, coolDown: 300, maxStale: 86_400 };

/** Maximum number of cached logos, so that self-registered clients cannot fill the memory. */
const MAX_LOGOS = 100;

/** Maximum size of a logo in bytes. */
const MAX_SIZE = 65_536;

/**
 * The logos of clients, fetched by the server and embedded in its pages. Browsers send no requests to hosts of clients,
 * so logos cannot track users. RFC 7591 §2, §5
 */
export class ClientLogos {
  private readonly fetch: SafeFetch;
  private readonly logos = new Map<string, RefreshingCache<string | undefined>>();

  constructor(options: SafeFetchOptions = {}) {
    this.fetch = new SafeFetch({ size: MAX_SIZE, timeout: 2, ...options });
  }

  /**
   * Returns the logo of a client as a `data:` URI. `undefined` if the client has no logo, may not use its host, or if
   * the logo cannot be fetched or is invalid.
   */
  async find(client: Client): Promise<string | undefined> {
    const uri = LOGO_URI.of(client);
    if (typeof uri !== 'string' || !this.fetch.isFetchable(uri) || !mayShow(client, uri)) return undefined;
    const logo = this.logos.get(uri) ?? new RefreshingCache(() => this.load(uri), CACHED);
    keepRecent(this.logos, uri, logo, MAX_LOGOS);
    // A page without a logo is better than an error page.
    return logo.current().catch(() => undefined);
  }

  private async load(uri: string): Promise<string | undefined> {
    const { body } = await this.fetch.bytes(uri, 'image/png, image/jpeg');
    const type = imageType(body);
    return type && `data:${type};base64,${body.toString('base64')}`;
  }
}

/**
 * Whether the client may use the host of the logo. Clients registered by the operator may use any host. A client that
 * registered itself, or has a client ID metadata document, may use only the host of its client ID, if that is a URL, or
 * the common host of all its redirect URIs. It can therefore not show the logos of other sites. RFC 7591 §5
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
