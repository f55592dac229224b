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
  /** Whether the user asked to be remembered. Kept with a login that still needs a second factor. */
  remember?: boolean;
  /** The token by which the browser may continue the session once it has expired, and until when. If omitted, it may not. */
  remembered?: { token: string; expiresAt: Date };
}

/** Keeps who is signed in where, so that signing out ends it, whoever has a copy of the cookie. */
export interface SessionModel<U extends User = User> {
  saveSession(session: Session<U>): Awaitable<unknown>;
  /** With the user as they are now; falsy: it is over, or there is no such session or user. */
  getSession(sessionId: string): Awaitable<Session<U> | Falsy>;
  revokeSession(session: Pick<Session, 'sessionId'>): Awaitable<unknown>;
}

/** A session that a browser may continue. `sessionId` is the token, and `expiresAt` is when that expires. */
export interface RememberedSession<U extends User = User> extends Session<U> {
  /** How many seconds ago the token was replaced by another one. If omitted, the token is current. */
  replacedAgo?: number;
}

/**
 * Continues expired sessions, for `rememberLifetime` of `pages()`: `saveSession()` stores `remembered` with the session, and
 * `revokeSession()` takes a token as `sessionId` as well. Either ends the session and its tokens, replaced ones included.
 */
export interface RememberedModel<U extends User = User> {
  /** Finds the session of a token. Falsy if the token is unknown or expired, or the session was ended. */
  findRememberedSession(token: string): Awaitable<RememberedSession<U> | Falsy>;
  /**
   * Replaces a current token: saves `session`, with the token in its `remembered`, as the continuation of the token's session.
   * @returns `true` for exactly one of all callers with the same token
   */
  continueSession(token: string, session: Session<U>): Awaitable<boolean>;
}
