import { isPublicClient } from '../../clients/none.js';
import { isSelfRegistered } from '../../clients/registration/self-registered.js';
import { redirectTarget } from '../../features/client-id-documents/client-id-url.js';
import type { ConsentRequest } from '../../model/consents.js';
import { audienceOf, isAmong } from '../../tokens/audience.js';
import { detailsOf, detailsText } from '../../contracts/authorization-details.js';
import { coversScope, scopeText, scopeValues } from '../../tokens/scope.js';
import { digest } from '../clients/client-secret.js';
import type { StoredClient } from '../contract/ports.js';
import type { GrantRow } from '../contract/storage.js';

/** Matches the names of client metadata that consent pages show, in any language. RFC 7591 §2.2 */
const SHOWN = /^(client_name|client_uri|logo_uri)(#|$)/;

/** Matches a redirect URI that only its owner can receive: https, and not on the user's own device. */
const OWNED = /^https:\/\/(?!localhost[:/]|127\.|\[::1\])/i;

/**
 * Returns the consent request with its `scope`. If the application passed an `AuthorizationRequest`, the scope is in
 * other members. Without `scope`, any earlier consent would cover the request.
 */
export function withRequestedScope<A extends ConsentRequest>(request: A): A {
  if (request.scope !== undefined) return request;
  const { grantableScope, requestedScope }: { grantableScope?: string; requestedScope?: string } = request as object;
  return { ...request, scope: grantableScope ?? requestedScope };
}

/**
 * Returns a consent grant: the passed grant with data that records what the user agreed to. A consent grant has no
 * tokens.
 */
export function toConsentGrant(grant: GrantRow, request: ConsentRequest): GrantRow {
  const resource = resourcesOf(request);
  const snapshot = grant.data === null ? {} : (JSON.parse(grant.data) as object);
  const look = appearanceDigest(request.client);
  const details = detailsDigest(request);
  const data = JSON.stringify({ ...(resource.length > 0 && { resource }), look, details, ...snapshot });
  return Object.assign(grant, { data, lastUsedAt: grant.createdAt });
}

/** Returns the resources that an authorization request names. An empty list means that it names none. RFC 8707 §2 */
const resourcesOf = ({ data }: ConsentRequest): readonly string[] => audienceOf(data?.['resource']);

/** Returns a digest of the requested authorization details, or `undefined` if the request has none. RFC 9396 §2 */
function detailsDigest({ data }: ConsentRequest): string | undefined {
  const details = detailsOf(data?.['authorization_details']);
  return details.length > 0 ? digest(detailsText(details)) : undefined;
}

/**
 * Returns a digest of the name, logo, redirect URIs and authentication method of a client that registered itself. If
 * these change, the user is asked for consent again. Returns `undefined` for clients that the application registered.
 */
function appearanceDigest({ metadata, name, redirectUris, tokenEndpointAuthMethod }: StoredClient): string | undefined {
  if (!metadata) return undefined;
  const shown = Object.entries(metadata).filter(([member]) => SHOWN.test(member));
  const texts = shown.map((member) => JSON.stringify(member));
  return digest(JSON.stringify([name, tokenEndpointAuthMethod, ordered(redirectUris ?? []), ordered(texts)]));
}

const ordered = (texts: readonly string[]) => texts.toSorted((a, b) => (a < b ? -1 : 1));

/**
 * Whether the consent grants of a user together cover the request: its scope for each requested resource, and its
 * authorization details.
 */
export function hasConsentFor(grants: readonly GrantRow[], request: ConsentRequest): boolean {
  const look = appearanceDigest(request.client);
  const details = detailsDigest(request);
  const consents = consentsFor(grants, request.client.id, request.issuer ?? null).flatMap((grant) => {
    const consent = JSON.parse(grant.data!) as { resource?: unknown; look?: string; details?: string };
    const isSame = details === undefined || consent.details === details;
    return consent.look === look && isSame ? { grant, resources: audienceOf(consent.resource) } : [];
  });
  const covers = (isMeant: (resources: readonly string[]) => boolean): boolean => {
    const meant = consents.filter(({ resources }) => isMeant(resources)).map(({ grant }) => grant);
    return meant.length > 0 && coversScope(combinedScope(meant) ?? '', request.scope ?? '');
  };
  const requestedResources = resourcesOf(request);
  if (requestedResources.length === 0) return covers((resources) => resources.length === 0);
  return requestedResources.every((uri) => covers((resources) => isAmong(uri, resources)));
}

/** Returns those of the consents of a user that are for a client at an issuer. */
export const consentsFor = (grants: readonly GrantRow[], clientId: string, issuer: string | null) =>
  grants.filter((grant) => grant.clientId === clientId && grant.issuer === issuer);

export function combinedScope(grants: readonly GrantRow[]): string | undefined {
  return scopeText([...new Set(grants.flatMap(({ scope }) => scopeValues(scope)))]) || undefined;
}

/**
 * Whether an earlier consent may be reused for this request. `consent` of the client decides if it is set. Otherwise an
 * authenticated client may reuse it, unless its metadata document redirects to another site. A public client may reuse
 * it if the application registered it and its redirect URI is https. A self-registered public client may not: all users
 * of a hosted application share its ID, so an attacker could start the request. RFC 8252 §8.6, RFC 9700 §4.4, CIMD §8.1
 */
export function canRememberConsent({ consent }: StoredClient, { client, redirectUri }: ConsentRequest): boolean {
  if (consent !== undefined) return consent === 'once';
  if (redirectTarget(client, redirectUri) === 'elsewhere') return false;
  return !isPublicClient(client) || (!isSelfRegistered(client) && OWNED.test(redirectUri));
}
