import type { CoreClient } from '../../model/model.js';
import { clientField } from '../../contracts/client-field.js';
import { isPublicHttpsUri } from '../../http/public-url.js';

/** The URL of the document whose host is the sector of a client. OpenID Connect Registration §2 */
export const SECTOR_IDENTIFIER_URI = clientField('sector_identifier_uri', isPublicHttpsUri);

/** Returns the URIs whose common host is the sector of a client. OpenID Connect Core §8.1 */
export const sectorUris = (uri: string | undefined, redirectUris: readonly string[] = []): readonly string[] =>
  uri === undefined ? redirectUris : [uri];

/** Returns the host that all URIs share. `undefined` if the list is empty or has several hosts. */
export function commonHost(uris: readonly string[]): string | undefined {
  const [host, ...more] = new Set(uris.map(hostOf));
  return more.length === 0 ? host : undefined;
}

/**
 * Returns the host that a client claims as its sector: the host of its `sector_identifier_uri`, or of its redirect
 * URIs.
 */
export const claimedHost = (client: CoreClient): string | undefined =>
  commonHost(sectorUris(SECTOR_IDENTIFIER_URI.of(client), client.redirectUris));

/** Returns the host of a web URL, or the scheme of any other URI, because the rest of such a URI has no owner. */
export function hostOf(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { hostname, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? hostname : protocol;
}
