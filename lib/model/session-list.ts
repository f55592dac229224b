import type { GrantSelection, Paging } from './grants.js';
import type { Awaitable } from './model.js';
import type { UpstreamSession } from './upstream-session.js';

/** A session in a list for its user or for administrators. */
export interface ListedSession {
  /** Identifies the session in lists. It is neither the value of the cookie nor a secret. */
  id: string;
  userId: string;
  issuer?: string;
  /** When the user signed in. */
  authTime: Date;
  acr?: string;
  amr?: readonly string[];
  sid?: string;
  /** The session at another provider, if the user signed in there. */
  upstream?: UpstreamSession;
  createdAt: Date;
  expiresAt: Date;
}

/** A page of sessions. */
export interface SessionList {
  sessions: ListedSession[];
  /** The value of `after` for the next page. If omitted, this is the last page. */
  next?: string;
}

/** A model that can list and end sessions. Sessions that wait for a second factor are not listed. */
export interface SessionListModel {
  /**
   * Returns a page of the sessions of a user. With `clientId`, only the sessions in which the user signed in at this
   * client. That requires `logout()`.
   */
  listSessions(selection: GrantSelection & Paging): Awaitable<SessionList>;
  /** Ends one session of a user. Returns whether it was active. */
  endSession(one: { userId: string | number; id: string }): Awaitable<boolean>;
  /**
   * Ends the selected sessions, as `listSessions()` would return them. Returns how many were active.
   * @param selection `except` is the `id` of a session that must not end.
   */
  endSessions(selection: GrantSelection & { except?: string }): Awaitable<number>;
}
