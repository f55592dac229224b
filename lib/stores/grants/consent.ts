import { isPublicClient } from '../../clients/none.js';
import { isSelfRegistered } from '../../clients/registration/self-registered.js';
import { redirectTarget } from '../../features/client-id-documents/client-id-url.js';
import type { ConsentRequest, PartialConsent } from '../../model/consents.js';
import { audienceOf, isAmong } from '../../tokens/audience.js';
import { detailsOf, detailsText } from '../../contracts/authorization-details.js';
import { scopeText, scopeValues } from '../../tokens/scope.js';
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
  const refused = request.refusedScope || undefined;
  const organization = organizationOf(request);
  const data = JSON.stringify({
    ...(resource.length > 0 && { resource }),
    look,
    details,
    refused,
    organization,
    ...snapshot,
  });
  return Object.assign(grant, { data, lastUsedAt: grant.createdAt });
}

/** Returns the resources that an authorization request names. An empty list means that it names none. RFC 8707 §2 */
const resourcesOf = ({ data }: ConsentRequest): readonly string[] => audienceOf(data?.['resource']);

/** Returns the organization that the request is for. `undefined` if it is for none. */
export function organizationOf({ data }: ConsentRequest): string | undefined {
  const id = data?.['org_id'];
  return typeof id === 'string' ? id : undefined;
}

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

/** The data of a consent grant. */
interface ConsentData {
  resource?: unknown;
  look?: string;
  details?: string;
  /** The scope that the user refused. */
  refused?: string;
  /** The organization that the consent is for. */
  organization?: string;
}

const dataOf = ({ data }: GrantRow) => JSON.parse(data!) as ConsentData;

/**
 * Whether the consent grants of a user together cover the request: its scope for each requested resource, and its
 * authorization details. If the user refused a part of the scope, returns the part that was allowed.
 */
export function findConsent(grants: readonly GrantRow[], request: ConsentRequest): boolean | PartialConsent {
  const look = appearanceDigest(request.client);
  const details = detailsDigest(request);
  const consents = consentsTo(request, grants).flatMap((grant) => {
    const consent = dataOf(grant);
    const isSame = details === undefined || consent.details === details;
    return consent.look === look && isSame ? { grant, consent, resources: audienceOf(consent.resource) } : [];
  });
  let allowed: readonly string[] = scopeValues(request.scope ?? '').filter(Boolean);
  const requested = allowed;
  const requestedResources = resourcesOf(request);
  for (const uri of requestedResources.length > 0 ? requestedResources : [undefined]) {
    const meant = consents.filter(({ resources }) =>
      uri === undefined ? resources.length === 0 : isAmong(uri, resources),
    );
    const scope = scopeValues(combinedScope(meant.map(({ grant }) => grant)));
    const refused = meant.flatMap(({ consent }) => scopeValues(consent.refused));
    if (meant.length === 0 || !requested.every((value) => scope.includes(value) || refused.includes(value)))
      return false;
    allowed = allowed.filter((value) => scope.includes(value));
  }
  if (allowed.length === requested.length) return true;
  return allowed.length > 0 && { scope: allowed.join(' ') };
}

/**
 * Returns the earlier consents of a user that contradict a partial consent, and the partial consent completed by what
 * they allow and refuse beyond it.
 */
export function replacedConsents<A extends ConsentRequest>(
  grants: readonly GrantRow[],
  request: A,
): { replaced: readonly GrantRow[]; completed: A } {
  const refused = scopeValues(request.refusedScope);
  const resources = resourcesOf(request);
  const replaced = consentsTo(request, grants).filter((grant) => {
    const own = audienceOf(dataOf(grant).resource);
    const isCommon = resources.length === 0 ? own.length === 0 : resources.some((uri) => isAmong(uri, own));
    return isCommon && scopeValues(grant.scope).some((value) => refused.includes(value));
  });
  const same = replaced.filter((grant) => {
    const { resource, look, details } = dataOf(grant);
    const current = [resources, appearanceDigest(request.client), detailsDigest(request)];
    return JSON.stringify([audienceOf(resource), look, details]) === JSON.stringify(current);
  });
  const scope = union([...scopeValues(request.scope), ...same.flatMap((one) => scopeValues(one.scope))], refused);
  const refusedScope = union(
    [...refused, ...same.flatMap((one) => scopeValues(dataOf(one).refused))],
    scopeValues(scope),
  );
  return { replaced, completed: { ...request, scope, refusedScope } };
}

const union = (values: readonly string[], without: readonly string[]) =>
  [...new Set(values)].filter((value) => !without.includes(value)).join(' ');

/** Returns those of the consents of a user that are for the client, issuer and organization of a request. */
const consentsTo = (request: ConsentRequest, grants: readonly GrantRow[]) =>
  consentsFor(grants, request.client.id, request.issuer ?? null).filter(
    (grant) => dataOf(grant).organization === organizationOf(request),
  );

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
