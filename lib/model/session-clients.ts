import type { Awaitable } from './model.js';

/** A client at which a user signed in during a session. OpenID Connect Back-Channel Logout §2 */
export interface SessionClient {
  /** The `id` of the user, as text. */
  userId: string;
  /** The ID of the session, as clients know it (`sid`). */
  sid: string;
  clientId: string;
  /** The `sub` that the client received for the user. */
  sub: string;
  /** The issuer at which the user signed in. */
  issuer: string;
  /**
   * The ID of the token family that the client received in this session, if it ends with the session. If omitted, it
   * does not.
   */
  grantId?: string;
}

/** Selects session clients. Every field that is set must match. */
export type SessionClientFilter = Pick<SessionClient, 'userId'> &
  Partial<Pick<SessionClient, 'sid' | 'clientId' | 'issuer'>>;

/** A function that is called when sessions end. It receives the clients at which their users were signed in. */
export type SignOutListener = (ended: readonly SessionClient[]) => void;

/** A model that stores at which clients the users of sessions have signed in. For the feature `logout()`. */
export interface SessionClientModel {
  /**
   * Saves a session client until it expires or `takeSessionClients()` returns it. Saving it again extends its lifetime.
   */
  saveSessionClient(sessionClient: SessionClient, expiresAt: Date): Awaitable<unknown>;
  /**
   * Returns the matching session clients and deletes them. Each is returned to exactly one of several concurrent
   * callers.
   */
  takeSessionClients(filter: SessionClientFilter): Awaitable<readonly SessionClient[]>;
  /**
   * Registers a listener for sessions that end outside of a logout, by `revokeGrantsOf({ userId })`. It replaces the
   * earlier listener of the issuer. If the model omits this method, the application calls `signOutAtClients()` in that
   * case.
   */
  onSignOut?(issuer: string, listener: SignOutListener): void;
}
