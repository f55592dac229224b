import { isPublic } from '../clients/none.js';
import type { Asked } from '../model/consents.js';
import { coversScope, scopeText, scopeValues } from '../tokens/scope.js';
import type { StoredClient } from './ports.js';
import type { GrantRow } from './storage.js';

/** Marks a grant that holds no token: what a user agreed to. */
const CONSENT = JSON.stringify({ consent: true });

/** A web address that belongs to somebody, so that only they are answered there. */
const OWNED = /^https:\/\/(?!localhost[:/]|127\.|\[::1\])/i;

export const isConsent = ({ data }: GrantRow): boolean => data === CONSENT;

/** What a grant becomes when it is no more than what a user agreed to. */
export function markConsent(grant: GrantRow): GrantRow {
  return Object.assign(grant, { data: CONSENT, lastUsedAt: grant.createdAt });
}

/** Do grants of a user hold a consent to as much? Several add up. */
export function coversConsent(grants: readonly GrantRow[], { client, scope, issuer }: Asked): boolean {
  const given = consentsTo(grants, client.id, issuer ?? null);
  if (given.length === 0) return false;
  return coversScope(allScopes(given) ?? '', scope ?? '');
}

/** The consents among grants that were given to a client at an issuer. */
export const consentsTo = (grants: readonly GrantRow[], clientId: string, issuer: string | null) =>
  grants.filter((grant) => isConsent(grant) && grant.clientId === clientId && grant.issuer === issuer);

export function allScopes(grants: readonly GrantRow[]): string | undefined {
  return scopeText([...new Set(grants.flatMap(({ scope }) => scopeValues(scope)))]) || undefined;
}

/**
 * May an earlier consent stand for this one? Not where anybody on the user's device could pass themselves off as this
 * client: one without a secret that is answered at no web address of its own. RFC 8252 §8.6
 */
export function mayRemember({ consent }: StoredClient, { client, redirectUri }: Asked): boolean {
  if (consent !== undefined) return consent === 'once';
  return !isPublic(client) || OWNED.test(redirectUri);
}
