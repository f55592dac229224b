import type { Awaitable } from './model.js';

/** That a user has signed in at a client, in a session of theirs here. OpenID Connect Back-Channel Logout §2 */
export interface SessionClient {
  /** The `id` of the user, as text. */
  userId: string;
  /** Names the session. */
  sid: string;
  clientId: string;
  /** Who the user is to that client. */
  sub: string;
  /** The issuer at which it was. */
  issuer: string;
  /** The family of what the client was granted, where that ends with the session. */
  grantId?: string;
}

/** Which of them: every field that is given must match. */
export type SessionClientFilter = Pick<SessionClient, 'userId'> &
  Partial<Pick<SessionClient, 'sid' | 'clientId' | 'issuer'>>;

/** Hears at which clients users were signed in whose sessions the host has ended. */
export type SignOutListener = (ended: readonly SessionClient[]) => void;

/** Remembers at which clients the users of sessions have signed in. For the feature `logout` */
export interface SessionClientModel {
  /** Kept until then, or until it is taken; what is kept already is kept longer. */
  saveSessionClient(sessionClient: SessionClient, expiresAt: Date): Awaitable<unknown>;
  /** Finds and forgets them: each is handed to one caller, however many ask at once. */
  takeSessionClients(filter: SessionClientFilter): Awaitable<readonly SessionClient[]>;
  /**
   * Asks to be told of those that end in another way, by `revokeGrantsOf({ userId })` of a store; of two listeners for one issuer the
   * latter is told. Left out: the host calls `signOutAtClients()` there.
   */
  onSignOut?(issuer: string, listener: SignOutListener): void;
}
