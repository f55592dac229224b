import type { Model, ServerContext, Session, SessionModel, SignIn, User } from '../../../lib/index.js';
import { boundToTenant } from '../../tenants/tenant-of.js';
import { BrowserCookie } from '../sessions/browser-cookie.js';
import type { PageRequest } from '../site.js';

/**
 * The logins of users who have passed the first factor, but have not yet entered a code. The model stores them like
 * sessions, so that revoking all grants of a user ends them too. The prefix of their ids prevents their use as a
 * session cookie.
 */
export class PendingLogins {
  private readonly model: Model & SessionModel;

  constructor(
    private readonly server: ServerContext,
    /** Lifetime in seconds. */
    private readonly lifetime: number,
  ) {
    this.model = server.options.model as Model & SessionModel;
  }

  /** @param proof the first factor of the user */
  async start(
    user: User,
    pageRequest: PageRequest,
    proof: Pick<Session, 'acr' | 'amr' | 'remember'> & Pick<SignIn, 'authTime'>,
  ): Promise<void> {
    await this.end(pageRequest);
    const sessionId = this.idOf(this.cookie(pageRequest).issue(this.lifetime));
    const now = Date.now();
    const { acr, amr, remember, authTime = new Date(now) } = proof;
    const expiresAt = new Date(now + this.lifetime * 1000);
    const { issuer } = this.server.options;
    await this.model.saveSession({ sessionId, user, authTime, expiresAt, acr, amr, issuer, remember, isPending: true });
  }

  async find(pageRequest: PageRequest): Promise<Session | undefined> {
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
    return new BrowserCookie(request, response, this.server, 'oauth2-second-factor');
  }

  private idOf(value: string): string {
    return `second factor ${boundToTenant(value, this.server)}`;
  }
}
