import type { SessionClient } from '../../model/session-clients.js';
import type { GrantRow } from '../contract/storage.js';

/**
 * Returns a grant that records the sign-in of a user at a client: the passed grant with data of the sign-in. It has no
 * tokens.
 */
export function toSessionClientGrant(grant: GrantRow, { sid, sub, grantId }: SessionClient, expiresAt: Date): GrantRow {
  const data = JSON.stringify({ sid, sub, grantId });
  return Object.assign(grant, { data, lastUsedAt: Date.now(), expiresAt: expiresAt.getTime() });
}

/** Returns the sign-in of a user at a client that a grant records. */
export function readSessionClient({ clientId, userId, issuer, data }: GrantRow): SessionClient {
  const signIn = JSON.parse(data!) as Pick<SessionClient, 'sid' | 'sub' | 'grantId'>;
  return { ...signIn, userId: userId!, clientId, issuer: issuer! };
}
