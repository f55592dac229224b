import type { SessionClient } from '../../model/session-clients.js';
import type { GrantRow } from '../contract/storage.js';

/** The beginning of the data of a grant that records the sign-in of a user at a client. Such a grant has no tokens. */
const SESSION_CLIENT = '{"sid":';

export const isSessionClient = ({ data }: GrantRow): boolean => data?.startsWith(SESSION_CLIENT) === true;

/**
 * Returns a grant that records the sign-in of a user at a client: the passed grant with data of the sign-in. It has no
 * tokens.
 */
export function toSessionClientGrant(
  grant: GrantRow,
  { sid, sub, grantId, userId }: SessionClient,
  expiresAt: Date,
): GrantRow {
  const data = JSON.stringify({ sid, sub, grantId, userId });
  return Object.assign(grant, { data, lastUsedAt: Date.now(), expiresAt: expiresAt.getTime() });
}

/**
 * Returns the user ID and the `sid` of the session from the record of a sign-in at a client. Records of an older
 * version have no user ID.
 */
export const signInSession = ({ data }: GrantRow) =>
  JSON.parse(data!) as Pick<SessionClient, 'sid'> & Partial<Pick<SessionClient, 'userId'>>;

/** Returns the sign-in of a user at a client that a grant records. */
export function readSessionClient({ clientId, issuer, data }: GrantRow, userId: string): SessionClient {
  const signIn = JSON.parse(data!) as Pick<SessionClient, 'sid' | 'sub' | 'grantId'>;
  return { ...signIn, userId, clientId, issuer: issuer! };
}
