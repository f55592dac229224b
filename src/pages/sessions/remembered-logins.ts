import { randomBytes } from 'node:crypto';
import type { Model, RememberedModel, RememberedSession, ServerContext, SessionModel } from '../../../lib/index.js';
import type { BrowserRequest } from '../../interaction/session-operations.js';
import { boundToUsers } from '../../tenants/tenant-of.js';
import { BrowserCookie } from './browser-cookie.js';

/**
 * Seconds after the replacement of a token in which its reuse counts as a parallel request of the same browser, not as
 * theft.
 */
const GRACE = 30;

/** The state of the "Remember me" cookie of a browser. */
export type RememberedState =
  | { state: 'none' }
  /** The token is current. */
  | { state: 'current'; session: RememberedSession }
  /** A parallel request has just replaced the token. */
  | { state: 'replaced' }
  /** The token was replaced earlier, so one of two browsers has a stolen copy. */
  | { state: 'replayed'; session: RememberedSession };

/**
 * The "Remember me" cookie: a single-use token that is replaced whenever it starts a session. It belongs to the grant
 * of the session, so that it becomes invalid when the session is ended.
 */
export class RememberedLogins {
  private readonly model: Model & SessionModel & RememberedModel;

  constructor(private readonly server: ServerContext) {
    this.model = server.options.model as Model & SessionModel & RememberedModel;
  }

  async find(browserRequest: BrowserRequest): Promise<RememberedState> {
    const { value } = this.cookie(browserRequest);
    const session = value === undefined ? undefined : await this.model.findRememberedSession(this.idOf(value));
    if (!session || session.expiresAt.getTime() <= Date.now()) return { state: 'none' };
    const { replacedAgo } = session;
    if (replacedAgo === undefined) return { state: 'current', session };
    return replacedAgo < GRACE ? { state: 'replaced' } : { state: 'replayed', session };
  }

  /** Creates a token. Call `issue` to set its cookie once the token is saved. */
  createToken(
    browserRequest: BrowserRequest,
    expiresAt: Date,
  ): { remembered: { token: string; expiresAt: Date }; issue: () => void } {
    const value = randomBytes(32).toString('base64url');
    const seconds = Math.ceil((expiresAt.getTime() - Date.now()) / 1000);
    return {
      remembered: { token: this.idOf(value), expiresAt },
      issue: () => void this.cookie(browserRequest).issue(seconds, value),
    };
  }

  /** Whether this browser has the cookie, valid or not. The check box is then checked. */
  hasCookie(browserRequest: BrowserRequest): boolean {
    return this.cookie(browserRequest).value !== undefined;
  }

  /** Ends the session that the cookie of this browser belongs to, and removes the cookie. */
  async end(browserRequest: BrowserRequest): Promise<void> {
    const cookie = this.cookie(browserRequest);
    if (cookie.value === undefined) return;
    await this.model.revokeSession({ sessionId: this.idOf(cookie.value) });
    cookie.clear();
  }

  private cookie({ request, response }: BrowserRequest): BrowserCookie {
    return new BrowserCookie(request, response, this.server, 'oauth2-remembered');
  }

  /** Returns the stored id of a token. Its prefix prevents the token from being used as a session cookie. */
  private idOf(value: string): string {
    return `remembered ${boundToUsers(value, this.server)}`;
  }
}
