import type { GrantRow } from './records.js';

/** Returns a grant that begins now. Properties that are not passed are `null`, and the ID of the client is empty. */
export function newGrant(grant: Pick<GrantRow, 'id' | 'kind' | 'expiresAt'> & Partial<GrantRow>): GrantRow {
  const empty = { clientId: '', userId: null, issuer: null, scope: null, data: null, lastUsedAt: null };
  return { ...empty, createdAt: Date.now(), ...grant };
}
