import type { User } from '../../model/model.js';
import type { ListedSession } from '../../model/session-list.js';
import type { Session } from '../../model/sessions.js';
import type { SignIn } from '../../model/sign-in.js';
import type { UpstreamSession } from '../../model/upstream-session.js';
import type { PasswordMarked } from '../clients/password-mark.js';
import { grantRow, rowOf } from '../clients/rows.js';
import type { StoredRow, GrantRow, Row } from '../contract/storage.js';

/** The stored data of a session: how the user signed in. */
interface StoredSignIn extends Omit<SignIn, 'authTime'>, PasswordMarked {
  /** When the user signed in, in milliseconds since the epoch. */
  authTime: number;
  remember?: boolean;
  passedSteps?: readonly string[];
  pendingStep?: string;
  upstream?: UpstreamSession;
}

/**
 * Returns the rows to save for a session: its own, and that of its remember-me token if it has one. Also returns their
 * grant, which belongs to no client and is revoked with all grants of the user.
 * @param grantId The ID of the grant if the session continues an earlier one. If omitted, a new grant.
 */
export function sessionRows(
  session: Session,
  { credential }: PasswordMarked,
  grantId?: string,
): { grant: GrantRow; rows: Row[] } {
  const {
    sessionId,
    user,
    authTime,
    expiresAt,
    acr,
    amr,
    sid,
    issuer,
    remember,
    remembered,
    passedSteps,
    pendingStep,
    upstream,
  } = session;
  const known = { ...(issuer !== undefined && { issuer }), ...(grantId !== undefined && { grantId }) };
  const grant = grantRow(session.isPending ? 'pending_login' : 'session', known, { id: '', grants: [] }, user);
  const rows = [rowOf(grant, 'session', sessionId, expiresAt)];
  if (remembered) rows.push(rowOf(grant, 'session', remembered.token, remembered.expiresAt));
  const signIn: Record<keyof StoredSignIn, unknown> = {
    authTime: authTime.getTime(),
    acr,
    amr,
    sid,
    credential,
    remember,
    passedSteps,
    pendingStep,
    upstream,
  };
  for (const row of rows) row.data = JSON.stringify(signIn);
  const listed = session.isPending ? {} : { session: { ...signIn, credential: undefined } };
  grant.data = JSON.stringify({ ...listed, credential });
  return { grant, rows };
}

/** Returns the session that a grant represents, in the form in which lists show it. */
export function listedSession({ id, userId, issuer, data, createdAt, expiresAt }: GrantRow): ListedSession {
  const { authTime, acr, amr, sid, upstream } = (JSON.parse(data!) as { session: StoredSignIn }).session;
  return {
    id,
    userId: userId!,
    ...(issuer !== null && { issuer }),
    authTime: new Date(authTime),
    ...(acr !== undefined && { acr }),
    ...(amr !== undefined && { amr }),
    ...(sid !== undefined && { sid }),
    ...(upstream && { upstream }),
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
  };
}

/** Returns the session that a row stores, with its user. */
export function sessionOf({ data, expiresAt, issuer, grantId }: StoredRow, sessionId: string, user: User): Session {
  const { authTime, acr, amr, sid, remember, passedSteps, pendingStep, upstream } = JSON.parse(data!) as StoredSignIn;
  const times = { authTime: new Date(authTime), expiresAt: new Date(expiresAt) };
  return {
    id: grantId,
    acr,
    amr,
    sid,
    sessionId,
    user,
    ...times,
    ...(issuer !== null && { issuer }),
    ...(remember && { remember }),
    ...(passedSteps && { passedSteps }),
    ...(pendingStep !== undefined && { pendingStep }),
    ...(upstream && { upstream }),
  };
}
