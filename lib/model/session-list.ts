import type { GrantSelection, Paging } from './grants.js';
import type { Awaitable } from './model.js';

/** A session as its user and operators see it. */
export interface ListedSession {
  /** Identifies the session. It is not the value of the cookie, and no secret. */
  id: string;
  userId: string;
  issuer?: string;
  /** When the user signed in. */
  authTime: Date;
  acr?: string;
  amr?: readonly string[];
  sid?: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Some sessions. */
export interface SessionList {
  sessions: ListedSession[];
  /** Where the next page begins. If omitted, this is the last page. */
  next?: string;
}

/** A model whose sessions can be listed and ended. Sessions that wait for a second factor are not listed. */
export interface SessionListModel {
  /**
   * Returns the sessions of a user. With `clientId`, those in which the user signed in at this client, which is known where a
   * logout feature of OpenID Connect is installed.
   */
  listSessions(selection: GrantSelection & Paging): Awaitable<SessionList>;
  /** Ends one session of a user. Returns whether it was alive. */
  endSession(one: { userId: string | number; id: string }): Awaitable<boolean>;
  /**
   * Ends the sessions that `listSessions()` returns, one by one. Returns how many were alive.
   * @param selection `except` is the `id` of a session that stays
   */
  endSessions(selection: GrantSelection & { except?: string }): Awaitable<number>;
}
