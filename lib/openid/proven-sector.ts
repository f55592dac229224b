import { claimedHost, hostOf, SECTOR_IDENTIFIER_URI } from '../clients/registration/sector-host.js';
import { isLoopbackName } from '../http/public-url.js';
import type { CoreClient } from '../model/model.js';
import type { AuthorizationRequest } from '../contracts/response-type.js';

/** The property of codes and tokens that stores the sector which an authorization response has proven. */
export const PROVEN_SECTOR = 'provenSector';

/**
 * Returns the sector of a client: a host, the scheme of an application, or the client itself. Returns `undefined` if
 * the client's redirect URIs have several hosts and it has no `sectorIdentifierUri`.
 *
 * The sector of a client that the operator created is configuration. A client that registered itself, or comes from a
 * client ID metadata document, may contain any redirect URI. Its sector must be proven: by `issued`, or by a metadata
 * document at that host. Otherwise the client is a sector of its own. OpenID Connect Core §8.1
 */
export function sectorOf(client: CoreClient, issued: object): string | undefined {
  if (!mustProve(client)) return claimedSector(client);
  const proven = (issued as Record<string, unknown>)[PROVEN_SECTOR];
  if (typeof proven === 'string') return proven;
  const isOwnHost = client.clientIdHost !== undefined && claimedHost(client) === hostOf(client.id);
  return isOwnHost ? claimedSector(client) : ownSector(client);
}

/** Returns the sector that the metadata of a client claims, proven or not. */
export function claimedSector(client: CoreClient): string | undefined {
  const host = claimedHost(client);
  const hasUris = SECTOR_IDENTIFIER_URI.of(client) !== undefined || Boolean(client.redirectUris?.length);
  // A loopback address is on the user's device and belongs to no client.
  return !hasUris || (host !== undefined && isLoopbackName(host)) ? ownSector(client) : host;
}

/**
 * Returns the sector that is proven by sending the authorization response to the redirect URI of a request. It is
 * stored with the code and its tokens. Returns `undefined` if nothing is proven, or if the sector needs no proof.
 *
 * A redirect URI on the user's device proves nothing, because every application there can claim a scheme or a port.
 * Only a client from a client ID metadata document keeps the scheme as its sector.
 */
export function deliveredSector({ client, redirectUri }: AuthorizationRequest): Record<string, string> | undefined {
  const sector = mustProve(client) ? claimedSector(client) : undefined;
  if (sector === undefined || redirectUri === undefined) return undefined;
  const host = hostOf(redirectUri);
  if (isOwned(host)) {
    const isListed = SECTOR_IDENTIFIER_URI.of(client) !== undefined && client.redirectUris?.includes(redirectUri);
    return isListed || host === sector ? { [PROVEN_SECTOR]: sector } : undefined;
  }
  return host === sector && client.clientIdHost !== undefined ? { [PROVEN_SECTOR]: sector } : undefined;
}

/** Whether a host belongs to one owner. Loopback names and URI schemes do not. */
const isOwned = (host: string | undefined): boolean =>
  host !== undefined && !host.endsWith(':') && !isLoopbackName(host);

const mustProve = (client: CoreClient): boolean =>
  client.requiresSectorProof === true || client.clientIdHost !== undefined;

/**
 * Returns the sector of a client that shares identifiers with no other client. It contains a space, which no host does.
 */
const ownSector = (client: CoreClient): string => `client ${client.id}`;
