import type { Awaitable, Falsy, User } from './model.js';
import type { SignIn } from './sign-in.js';
import type { UpstreamSession } from './upstream-session.js';

/** The login of a user in a browser, as the model stores it. OpenID Connect Core 1.0 §2 (`auth_time`) */
export interface Session<U extends User = User> extends SignIn {
  /** The value of the session cookie: 256 random bits. The model stores only a hash of it. */
  sessionId: string;
  /** Identifies the session in lists. The model sets it. Unlike `sessionId`, it is not a secret. */
  id?: string;
  user: U;
  /** Set to `true` if the user must still pass a step, such as a second factor. It does not sign the user in. */
  isPending?: true;
  /**
   * The issuer at which the user signed in. If omitted, the server has no `issuer`, or an older version saved the
   * session. Servers on one origin that share a cookie accept each other's sessions. Servers of tenants do not share
   * cookies.
   */
  issuer?: string;
  /** When the user authenticated. */
  authTime: Date;
  expiresAt: Date;
  /** Whether the user asked to stay signed in. Stored while the login waits for a step. */
  remember?: boolean;
  /** The IDs of the steps that a pending login has passed, such as `secondFactor`. */
  passedSteps?: readonly string[];
  /** The ID of the step that a pending login waits for. */
  pendingStep?: string;
  /** The session at another provider, if the user signed in there. Its back-channel logout ends this session. */
  upstream?: UpstreamSession;
  /**
   * The token with which the browser may continue the session after it expired, and the expiry of the token. If
   * omitted, the session cannot be continued.
   */
  remembered?: { token: string; expiresAt: Date };
}

/** A model that stores sessions, so that signing out also invalidates copies of the cookie. */
export interface SessionModel<U extends User = User> {
  saveSession(session: Session<U>): Awaitable<unknown>;
  /**
   * Returns a session with the current data of its user. Returns a falsy value if the session is unknown or expired, or
   * the user was deleted.
   */
  getSession(sessionId: string): Awaitable<Session<U> | Falsy>;
  revokeSession(session: Pick<Session, 'sessionId'>): Awaitable<unknown>;
}

/**
 * A session that a browser may continue after it expired. `sessionId` is the token for that, and `expiresAt` the expiry
 * of the token.
 */
export interface RememberedSession<U extends User = User> extends Session<U> {
  /** Seconds since the token was replaced by another one. If omitted, the token is current. */
  replacedAgo?: number;
}

/**
 * A model that can continue expired sessions, for `rememberLifetime` of `pages()`. `saveSession()` stores `remembered`
 * with the session. `revokeSession()` also accepts a token as `sessionId`, and ends the session with all its tokens,
 * replaced ones included.
 */
export interface RememberedModel<U extends User = User> {
  /**
   * Returns the session that a token continues. Returns a falsy value if the token is unknown or expired, or if the
   * session was ended.
   */
  findRememberedSession(token: string): Awaitable<RememberedSession<U> | Falsy>;
  /**
   * Replaces a token that is still current: saves `session`, which has the new token in `remembered`, as the
   * continuation of the old session.
   * @returns `true` to exactly one of several concurrent callers with the same token, `false` to the others
   */
  continueSession(token: string, session: Session<U>): Awaitable<boolean>;
}
