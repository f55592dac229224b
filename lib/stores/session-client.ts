import type { SessionClient } from '../model/session-clients.js';
import type { GrantRow } from './storage.js';

/** Marks a grant that holds no token: that somebody has signed in at its client. */
const SESSION_CLIENT = '{"sid":';

export const isSessionClient = ({ data }: GrantRow): boolean => data?.startsWith(SESSION_CLIENT) === true;

/** What a grant becomes when it is no more than that. */
export function toSessionClientGrant(
  grant: GrantRow,
  { sid, sub, grantId, userId }: SessionClient,
  expiresAt: Date,
): GrantRow {
  const data = JSON.stringify({ sid, sub, grantId, userId });
  return Object.assign(grant, { data, lastUsedAt: Date.now(), expiresAt: expiresAt.getTime() });
}

/** Returns the user and the session of a sign-in; an older version stored no user. */
export const signInSession = ({ data }: GrantRow) =>
  JSON.parse(data!) as Pick<SessionClient, 'sid'> & Partial<Pick<SessionClient, 'userId'>>;

/** Returns the sign-in of a user that a grant stores. */
export function readSessionClient({ clientId, issuer, data }: GrantRow, userId: string): SessionClient {
  const kept = JSON.parse(data!) as Pick<SessionClient, 'sid' | 'sub' | 'grantId'>;
  return { ...kept, userId, clientId, issuer: issuer! };
}
