import type { CoreClient } from '../../model/model.js';
import { clientField } from '../../contracts/client-field.js';
import { isPublicHttpsUri } from '../../http/public-url.js';

/**
 * The client field for the URL of the document whose host is the sector of the client. OpenID Connect Registration §2
 */
export const SECTOR_IDENTIFIER_URI = clientField('sector_identifier_uri', isPublicHttpsUri);

/**
 * Returns the URIs whose common host is the sector of a client: its `sector_identifier_uri`, otherwise its redirect
 * URIs. OpenID Connect Core §8.1
 */
export const sectorUris = (uri: string | undefined, redirectUris: readonly string[] = []): readonly string[] =>
  uri === undefined ? redirectUris : [uri];

/** Returns the host that all URIs share. `undefined` if the list is empty or has several hosts. */
export function commonHost(uris: readonly string[]): string | undefined {
  const [host, ...more] = new Set(uris.map(hostOf));
  return more.length === 0 ? host : undefined;
}

/**
 * Returns the host that a client claims as its sector: the host of its `sector_identifier_uri`, or the common host of
 * its redirect URIs. `undefined` if these have several hosts.
 */
export const claimedHost = (client: CoreClient): string | undefined =>
  commonHost(sectorUris(SECTOR_IDENTIFIER_URI.of(client), client.redirectUris));

/**
 * Returns the host of a web URL. For any other URI, returns the scheme, because the rest of it has no owner.
 * `undefined` for an invalid URI.
 */
export function hostOf(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { hostname, protocol } = new URL(uri);
  return /^https?:$/.test(protocol) ? hostname : protocol;
}
