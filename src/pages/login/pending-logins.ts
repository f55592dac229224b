import type { Awaitable, Model, ServerContext, SessionModel } from '../../../lib/index.js';
import { boundToUsers } from '../../tenants/tenant-of.js';
import { BrowserCookie, newCookieValue } from '../sessions/browser-cookie.js';
import type { PageRequest } from '../site.js';
import type { Login } from './steps.js';

/**
 * The logins of users whom a method has identified, but who must still pass a step, such as a second factor. The model
 * stores them like sessions, so that revoking all grants of a user ends them too. The prefix of their ids prevents
 * their use as a session cookie.
 */
export class PendingLogins {
  private readonly model: Model & SessionModel;

  constructor(private readonly server: ServerContext) {
    this.model = server.options.model as Model & SessionModel;
  }

  /**
   * Stores a pending login instead of the one of this browser.
   * @param lifetime seconds in which the user must pass the next step
   * @param isCurrent returns whether the proof of the login is still valid, once the pending login is stored
   * @returns `false` if the proof is no longer valid
   */
  async start(
    login: Login,
    pageRequest: PageRequest,
    lifetime: number,
    isCurrent: () => Awaitable<boolean> = () => true,
  ): Promise<boolean> {
    const value = newCookieValue();
    const sessionId = this.idOf(value);
    const now = Date.now();
    const { user, acr, amr, remember, passedSteps, pendingStep, upstream, authTime = new Date(now) } = login;
    const { issuer } = this.server.options;
    const at = { sessionId, user, authTime, expiresAt: new Date(now + lifetime * 1000), issuer };
    const state = { acr, amr, remember, passedSteps, pendingStep, ...(upstream && { upstream }) };
    await this.model.saveSession({ ...at, ...state, isPending: true });
    const isStarted = await isCurrent();
    if (!isStarted) await this.model.revokeSession({ sessionId });
    await this.end(pageRequest);
    if (isStarted) this.cookie(pageRequest).issue(lifetime, value);
    return isStarted;
  }

  async find(pageRequest: PageRequest): Promise<Login | undefined> {
    const { value } = this.cookie(pageRequest);
    const session = value === undefined ? undefined : await this.model.getSession(this.idOf(value));
    return session && session.expiresAt.getTime() > Date.now() ? session : undefined;
  }

  /** Ends the pending login. The cookie stays, but refers to nothing. */
  async end(pageRequest: PageRequest): Promise<void> {
    const { value } = this.cookie(pageRequest);
    if (value !== undefined) await this.model.revokeSession({ sessionId: this.idOf(value) });
  }

  private cookie({ request, response }: PageRequest): BrowserCookie {
    return new BrowserCookie(request, response, this.server, 'oauth2-pending-login');
  }

  private idOf(value: string): string {
    return `pending login ${boundToUsers(value, this.server)}`;
  }
}
