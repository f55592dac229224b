import type { GrantKind, GrantRow } from '../contract/storage.js';

/** A grant with the generations that its client and its user had when it was saved. */
export interface StoredGrant extends GrantRow {
  generation: string;
  userGeneration: string | null;
  /** Whether the grant has not expired, by the clock of Redis. */
  isUnexpired: boolean;
}

/** The fields of a grant that `FIND_GRANT` reads, in the order of `readGrant()`. */
export const GRANT_FIELDS = [
  'clientId',
  'userId',
  'issuer',
  'scope',
  'data',
  'createdAt',
  'lastUsedAt',
  'expiresAt',
  'revokedAt',
  'generation',
  'userGeneration',
  'kind',
] as const;

/**
 * Returns the grant with this ID from the result of `FIND_GRANT`. Returns `undefined` if it does not exist or, without
 * `revoked`, was revoked by its ID.
 */
export function readGrant(
  id: string,
  fields: readonly (string | null)[],
  { revoked = false }: { revoked?: boolean } = {},
): StoredGrant | undefined {
  const [clientId, userId = null, issuer = null, scope = null, data = null, ...state] = fields;
  const [createdAt, lastUsedAt, expiresAt, revokedAt, generation, userGeneration = null, kind, now] = state;
  if (typeof clientId !== 'string' || (revokedAt !== '' && !revoked)) return undefined;
  return {
    id,
    kind: kind as GrantKind,
    clientId,
    userId,
    issuer,
    scope,
    data,
    createdAt: Number(createdAt),
    lastUsedAt: lastUsedAt ? Number(lastUsedAt) : null,
    expiresAt: Number(expiresAt),
    generation: String(generation),
    userGeneration,
    isUnexpired: Number(expiresAt) > Number(now),
  };
}
