import type { Awaitable, Falsy, User } from './model.js';
import type { SignIn } from './sign-in.js';

/** That somebody is signed in in a browser. OpenID Connect Core 1.0 §2 (`auth_time`) */
export interface Session<U extends User = User> extends SignIn {
  /** What the cookie holds: 256 random bits, of which the model keeps a hash only. */
  sessionId: string;
  /** Identifies the session where sessions are listed. It is set by the model, and is no secret. */
  id?: string;
  user: U;
  /** Whether the user must still enter a second factor: nobody is signed in by such a session. */
  isPending?: true;
  /**
   * The issuer at which the user signed in. If omitted, the server has no `issuer`, or an older version saved the session. Servers on one
   * origin that share a cookie accept each other's sessions; servers of tenants do not share cookies.
   */
  issuer?: string;
  /** When they proved who they are. */
  authTime: Date;
  expiresAt: Date;
}

/** Keeps who is signed in where, so that signing out ends it, whoever has a copy of the cookie. */
export interface SessionModel<U extends User = User> {
  saveSession(session: Session<U>): Awaitable<unknown>;
  /** With the user as they are now; falsy: it is over, or there is no such session or user. */
  getSession(sessionId: string): Awaitable<Session<U> | Falsy>;
  revokeSession(session: Pick<Session, 'sessionId'>): Awaitable<unknown>;
}
