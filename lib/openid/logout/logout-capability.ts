import type { ServerContext } from '../../contracts/feature.js';
import { capability } from '../../contracts/capability.js';
import type { SessionClientFilter } from '../../model/session-clients.js';
import type { IdTokenHint } from '../openid-capability.js';

/** The steps that remain to be done in the browser after a user has signed out. */
export interface SignedOut {
  /** The URLs to open in the user's browser, each in an `<iframe>`. OpenID Connect Front-Channel Logout §2 */
  frames: readonly string[];
}

/** The client that began a sign-out, and the session in the ID token that it sent. */
export type SignOutInitiator = Pick<IdTokenHint, 'clientId' | 'sid'>;

/** The notification of clients about logouts, which `logout()` provides to other features and to the application. */
export interface LogoutNotifier {
  /**
   * Notifies the clients at which a user has signed in that a session has ended, and removes the record of these
   * clients. If `sid` is omitted, all sessions of the user have ended. It never rejects: failures are reported as
   * events.
   * @param initiator The client that began the sign-out. It is notified after the others, when the user has returned to it.
   */
  signOut(ended: Pick<SessionClientFilter, 'userId' | 'sid'>, initiator?: SignOutInitiator): Promise<SignedOut>;
}

/** The capability key under which `logout()` provides the notification of clients. */
export const LOGOUT = capability<LogoutNotifier>('logout', 'logout');

/**
 * Notifies the clients at which the user signed in that a session has ended. Does nothing if the session has no `sid`,
 * or if the server has no logout feature. It never rejects: the feature reports failures as events.
 */
export async function notifySessionEnded(
  server: Pick<ServerContext, 'find'>,
  { userId, sid }: { readonly userId: string; readonly sid?: string | undefined },
): Promise<void> {
  if (sid !== undefined) await server.find(LOGOUT)?.signOut({ userId, sid });
}
