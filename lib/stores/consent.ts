import { isPublicClient } from '../clients/none.js';
import { redirectTarget } from '../features/client-id-documents/client-id-url.js';
import type { ConsentRequest } from '../model/consents.js';
import { audienceOf, isAmong } from '../tokens/audience.js';
import { detailsOf, detailsText } from '../contracts/authorization-details.js';
import { coversScope, scopeText, scopeValues } from '../tokens/scope.js';
import { digest } from './client-secret.js';
import type { StoredClient } from './ports.js';
import type { GrantRow } from './storage.js';

/** Marks a grant that holds no token: what a user agreed to. What it is for, and the client of a document, stand behind. */
const CONSENT = '{"consent":true';

/** What pages show of a client, in whatever language. RFC 7591 §2.2 */
const SHOWN = /^(client_name|client_uri|logo_uri)(#|$)/;

/** A web address that belongs to somebody, so that only they are answered there. */
const OWNED = /^https:\/\/(?!localhost[:/]|127\.|\[::1\])/i;

export const isConsent = ({ data }: GrantRow): boolean => data?.startsWith(CONSENT) === true;

/**
 * Returns the request with its scope. An interaction may pass an `AuthorizationRequest`, which has other members for it: without a
 * scope, any earlier consent would cover the request.
 */
export function withRequestedScope<A extends ConsentRequest>(asked: A): A {
  if (asked.scope !== undefined) return asked;
  const { grantableScope, requestedScope }: { grantableScope?: string; requestedScope?: string } = asked as object;
  return { ...asked, scope: grantableScope ?? requestedScope };
}

/** What a grant becomes when it is no more than what a user agreed to. */
export function toConsentGrant(grant: GrantRow, asked: ConsentRequest): GrantRow {
  const resource = resourcesOf(asked);
  const kept = grant.data === null ? {} : (JSON.parse(grant.data) as object);
  const look = appearanceDigest(asked.client);
  const details = detailsDigest(asked);
  const data = JSON.stringify({ consent: true, ...(resource.length > 0 && { resource }), look, details, ...kept });
  return Object.assign(grant, { data, lastUsedAt: grant.createdAt });
}

/** What the answer to an authorization request is good for; nothing in particular: an empty list. RFC 8707 §2 */
const resourcesOf = ({ data }: ConsentRequest): readonly string[] => audienceOf(data?.['resource']);

/** Which authorization details were agreed to, by a digest; undefined: none. RFC 9396 §2 */
function detailsDigest({ data }: ConsentRequest): string | undefined {
  const details = detailsOf(data?.['authorization_details']);
  return details.length > 0 ? digest(detailsText(details)) : undefined;
}

/**
 * Whom a user said yes to, of a client that says itself what it is: what it is called, where answers go, who can be it. With
 * another one it is another client under the same id. Undefined of those that their operator describes.
 */
function appearanceDigest({ metadata, name, redirectUris, tokenEndpointAuthMethod }: StoredClient): string | undefined {
  if (!metadata) return undefined;
  const shown = Object.entries(metadata).filter(([member]) => SHOWN.test(member));
  const texts = shown.map((member) => JSON.stringify(member));
  return digest(JSON.stringify([name, tokenEndpointAuthMethod, ordered(redirectUris ?? []), ordered(texts)]));
}

const ordered = (texts: readonly string[]) => texts.toSorted((a, b) => (a < b ? -1 : 1));

/** Do grants of a user hold a consent to as much, for each of the resources and to the same details? Several add up. */
export function hasConsentFor(grants: readonly GrantRow[], asked: ConsentRequest): boolean {
  const look = appearanceDigest(asked.client);
  const details = detailsDigest(asked);
  const given = consentsFor(grants, asked.client.id, asked.issuer ?? null).flatMap((grant) => {
    const consent = JSON.parse(grant.data!) as { resource?: unknown; look?: string; details?: string };
    const isSame = details === undefined || consent.details === details;
    return consent.look === look && isSame ? { grant, resources: audienceOf(consent.resource) } : [];
  });
  const covers = (isMeant: (resources: readonly string[]) => boolean): boolean => {
    const meant = given.filter(({ resources }) => isMeant(resources)).map(({ grant }) => grant);
    return meant.length > 0 && coversScope(allScopes(meant) ?? '', asked.scope ?? '');
  };
  const wanted = resourcesOf(asked);
  if (wanted.length === 0) return covers((resources) => resources.length === 0);
  return wanted.every((uri) => covers((resources) => isAmong(uri, resources)));
}

/** The consents among grants that were given to a client at an issuer. */
export const consentsFor = (grants: readonly GrantRow[], clientId: string, issuer: string | null) =>
  grants.filter((grant) => isConsent(grant) && grant.clientId === clientId && grant.issuer === issuer);

export function allScopes(grants: readonly GrantRow[]): string | undefined {
  return scopeText([...new Set(grants.flatMap(({ scope }) => scopeValues(scope)))]) || undefined;
}

/**
 * May an earlier consent stand for this one? Not where anybody on the user's device could pass themselves off as this
 * client: one without a secret that is answered at no web address of its own. Nor where the document of a client sends the
 * answer elsewhere: it may say so since yesterday, and users are warned of it each time. RFC 8252 §8.6, CIMD §8.1
 */
export function canRememberConsent({ consent }: StoredClient, { client, redirectUri }: ConsentRequest): boolean {
  if (consent !== undefined) return consent === 'once';
  if (redirectTarget(client, redirectUri) === 'elsewhere') return false;
  return !isPublicClient(client) || OWNED.test(redirectUri);
}
