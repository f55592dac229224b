import type { Model, ServerContext, Session, SessionModel, SignIn, User } from '../../../lib/index.js';
import { boundToTenant } from '../../tenants/tenant-of.js';
import { BrowserCookie } from '../browser-cookie.js';
import type { PageRequest } from '../site.js';

/**
 * Who has given a password in a browser, and no code yet. The model keeps that among the sessions, so that what ends all that a
 * user has granted ends it too; by a name that no cookie of a session can be, so that nobody is signed in by it.
 */
export class PendingLogins {
  private readonly model: Model & SessionModel;

  constructor(
    private readonly server: ServerContext,
    /** In seconds. */
    private readonly lifetime: number,
  ) {
    this.model = server.options.model as Model & SessionModel;
  }

  /** @param proof how the user was authenticated by the first factor */
  async start(
    user: User,
    visit: PageRequest,
    proof: Pick<Session, 'acr' | 'amr' | 'remember'> & Pick<SignIn, 'authTime'>,
  ): Promise<void> {
    await this.end(visit);
    const sessionId = this.idOf(this.cookie(visit).issue(this.lifetime));
    const now = Date.now();
    const { acr, amr, remember, authTime = new Date(now) } = proof;
    const expiresAt = new Date(now + this.lifetime * 1000);
    const { issuer } = this.server.options;
    await this.model.saveSession({ sessionId, user, authTime, expiresAt, acr, amr, issuer, remember, isPending: true });
  }

  async find(visit: PageRequest): Promise<Session | undefined> {
    const { value } = this.cookie(visit);
    const session = value === undefined ? undefined : await this.model.getSession(this.idOf(value));
    return session && session.expiresAt.getTime() > Date.now() ? session : undefined;
  }

  /** The cookie goes by itself: it names nothing from then on. */
  async end(visit: PageRequest): Promise<void> {
    const { value } = this.cookie(visit);
    if (value !== undefined) await this.model.revokeSession({ sessionId: this.idOf(value) });
  }

  private cookie({ request, response }: PageRequest): BrowserCookie {
    return new BrowserCookie(request, response, this.server, 'oauth2-second-factor');
  }

  private idOf(value: string): string {
    return `second factor ${boundToTenant(value, this.server)}`;
  }
}
