import type { User } from '../model/model.js';
import type { ListedSession } from '../model/session-list.js';
import type { Session } from '../model/sessions.js';
import type { SignIn } from '../model/sign-in.js';
import type { Marked } from './credential.js';
import { grantRow, rowOf } from './rows.js';
import type { Found, GrantRow, Row } from './storage.js';

/** How the user signed in, as it is kept. */
interface Kept extends Omit<SignIn, 'authTime'>, Marked {
  /** Milliseconds since the epoch. */
  authTime: number;
}

/** A session as rows, on a grant of its own and of no client: what ends all grants of a user signs them out too. */
export function sessionRows(session: Session, { credential }: Marked): { grant: GrantRow; row: Row } {
  const { sessionId, user, authTime, expiresAt, acr, amr, sid, issuer } = session;
  const grant = grantRow(issuer === undefined ? {} : { issuer }, { id: '', grants: [] }, user);
  const row = rowOf(grant, 'session', sessionId, expiresAt);
  const kept: Record<keyof Kept, unknown> = { authTime: authTime.getTime(), acr, amr, sid, credential };
  row.data = JSON.stringify(kept);
  // A session that waits for a second factor is not listed.
  if (!session.isPending) grant.data = JSON.stringify({ session: { ...kept, credential: undefined }, credential });
  return { grant, row };
}

/** How the grant of a session begins. */
const SESSION = '{"session":';

export const isSessionGrant = ({ data }: GrantRow): boolean => data?.startsWith(SESSION) === true;

/** Returns the session that a grant is for, as it is listed. */
export function listedSession({ id, userId, issuer, data, createdAt, expiresAt }: GrantRow): ListedSession {
  const { authTime, acr, amr, sid } = (JSON.parse(data!) as { session: Kept }).session;
  return {
    id,
    userId: userId!,
    ...(issuer !== null && { issuer }),
    authTime: new Date(authTime),
    ...(acr !== undefined && { acr }),
    ...(amr !== undefined && { amr }),
    ...(sid !== undefined && { sid }),
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
  };
}

/** Returns the session that a row stores. */
export function sessionOf({ data, expiresAt, issuer, grantId }: Found, sessionId: string, user: User): Session {
  const { authTime, acr, amr, sid } = JSON.parse(data!) as Kept;
  const times = { authTime: new Date(authTime), expiresAt: new Date(expiresAt) };
  return { id: grantId, acr, amr, sid, sessionId, user, ...times, ...(issuer !== null && { issuer }) };
}
