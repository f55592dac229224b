import { randomBytes } from 'node:crypto';
import type {
  Awaitable,
  Falsy,
  Model,
  Request,
  Response,
  ServerFacts,
  Session,
  SessionModel,
  SignIn,
  User,
} from '../../lib/index.js';
import { boundToTenant, tenantOf } from '../tenants/tenant-of.js';
import { BrowserCookie } from './browser-cookie.js';

/** Where it is kept who is signed in in a browser. `request.native` is the request of Express or Fastify. */
export interface Sessions {
  /** Who is signed in in this browser? Falsy: nobody is. */
  find(request: Request): Awaitable<User | Falsy>;
  /** How did that one sign in? Left out: nothing is said of it, to clients and to APIs. */
  howSignedIn?(user: User, request: Request): Awaitable<SignIn | Falsy>;
  /** Somebody has proven who they are: a new session, whatever there was before. */
  start(user: User, request: Request, response: Response): Awaitable<unknown>;
  end(request: Request, response: Response): Awaitable<unknown>;
}

/** Sessions that the model keeps, by the cookie of the pages. */
export class ModelSessions implements Sessions {
  private readonly model: Model & SessionModel;
  /** Those that were found for a request, while that is answered. */
  private readonly found = new WeakMap<object, Session>();

  constructor(
    private readonly server: ServerFacts,
    private readonly lifetime: number,
    /** What of proof a login is. */
    private readonly proof: Pick<SignIn, 'acr' | 'amr'> = {},
  ) {
    this.model = server.options.model as Model & SessionModel;
  }

  async find(request: Request): Promise<User | undefined> {
    return (await this.findSession(request))?.user;
  }

  async howSignedIn(_user: User, request: Request): Promise<SignIn | undefined> {
    const { authTime, acr, amr, sid } = this.found.get(keyOf(request)) ?? (await this.findSession(request)) ?? {};
    return { authTime, acr, amr, sid };
  }

  async findSession(request: Request): Promise<Session | undefined> {
    const { value } = this.cookie(request);
    const session = value === undefined ? undefined : await this.model.getSession(this.idOf(value));
    if (!session || session.expiresAt.getTime() <= Date.now()) return undefined;
    this.found.set(keyOf(request), session);
    return session;
  }

  /** @param more what of proof it was, where that was more than a password */
  async start(user: User, request: Request, response: Response, more: Partial<Session> = {}): Promise<void> {
    const before = await this.findSession(request);
    const cookie = this.cookie(request, response);
    await this.forget(cookie);
    const now = Date.now();
    const { authTime = new Date(now), expiresAt = new Date(now + this.lifetime * 1000) } = more;
    // Who proves again who they are goes on with the session that clients know.
    const sid = (isSame(before?.user, user) && before?.sid) || randomBytes(16).toString('base64url');
    const sessionId = this.idOf(cookie.issue(Math.ceil((expiresAt.getTime() - now) / 1000)));
    const { issuer } = this.server.options;
    const at = { sessionId, user, authTime, expiresAt, sid, ...(issuer !== undefined && { issuer }) };
    await this.model.saveSession({ ...this.proof, ...more, ...at });
  }

  async end(request: Request, response: Response): Promise<void> {
    const cookie = this.cookie(request, response);
    await this.forget(cookie);
    cookie.clear();
  }

  private async forget({ value }: BrowserCookie): Promise<void> {
    if (value !== undefined) await this.model.revokeSession({ sessionId: this.idOf(value) });
  }

  /** A cookie of one tenant names no session of another one; nor is this itself a cookie for a server without tenants. */
  private idOf(value: string): string {
    return tenantOf(this.server) === undefined ? value : `tenant ${boundToTenant(value, this.server)}`;
  }

  private cookie(request: Request, response: Pick<Response, 'set'> = NOWHERE): BrowserCookie {
    return new BrowserCookie(request, response as Response, this.server);
  }
}

const NOWHERE = { set: () => undefined };

/** Interactions and pages have wrappers of their own around the same request. */
const keyOf = (request: Request): object => (request['native'] as object | undefined) ?? request;

const isSame = (one: User | undefined, other: User) => one !== undefined && String(one['id']) === String(other['id']);
