import type { Awaitable, Falsy, Model, Request, Response, ServerFacts, SessionModel, User } from '../../lib/index.js';
import { boundToTenant } from '../tenants/tenant-of.js';
import { BrowserCookie } from './browser-cookie.js';

/** Where it is kept who is signed in in a browser. `request.native` is the request of Express or Fastify. */
export interface Sessions {
  /** Who is signed in in this browser? Falsy: nobody is. */
  find(request: Request): Awaitable<User | Falsy>;
  /** Somebody has proven who they are: a new session, whatever there was before. */
  start(user: User, request: Request, response: Response): Awaitable<unknown>;
  end(request: Request, response: Response): Awaitable<unknown>;
}

/** Sessions that the model keeps, by the cookie of the pages. */
export class ModelSessions implements Sessions {
  private readonly model: Model & SessionModel;

  constructor(
    private readonly server: ServerFacts,
    private readonly lifetime: number,
  ) {
    this.model = server.options.model as Model & SessionModel;
  }

  async find(request: Request): Promise<User | undefined> {
    const { value } = this.cookie(request);
    const session = value === undefined ? undefined : await this.model.getSession(this.idOf(value));
    return session && session.expiresAt.getTime() > Date.now() ? session.user : undefined;
  }

  async start(user: User, request: Request, response: Response): Promise<void> {
    const cookie = this.cookie(request, response);
    await this.forget(cookie);
    const authTime = new Date();
    const expiresAt = new Date(authTime.getTime() + this.lifetime * 1000);
    await this.model.saveSession({ sessionId: this.idOf(cookie.issue(this.lifetime)), user, authTime, expiresAt });
  }

  async end(request: Request, response: Response): Promise<void> {
    const cookie = this.cookie(request, response);
    await this.forget(cookie);
    cookie.clear();
  }

  private async forget({ value }: BrowserCookie): Promise<void> {
    if (value !== undefined) await this.model.revokeSession({ sessionId: this.idOf(value) });
  }

  /** A cookie of one tenant names no session of another one. */
  private idOf(value: string): string {
    return boundToTenant(value, this.server);
  }

  private cookie(request: Request, response: Pick<Response, 'set'> = NOWHERE): BrowserCookie {
    return new BrowserCookie(request, response as Response, this.server);
  }
}

const NOWHERE = { set: () => undefined };
