import { randomBytes } from 'node:crypto';
import type {
  Awaitable,
  Falsy,
  Model,
  RememberedModel,
  RememberedSession,
  Request,
  Response,
  ServerContext,
  Session,
  SessionModel,
  SignIn,
  User,
} from '../../lib/index.js';
import type { BrowserRequest } from '../interaction/session-operations.js';
import { boundToTenant, tenantOf } from '../tenants/tenant-of.js';
import { BrowserCookie } from './browser-cookie.js';
import { RememberedLogins } from './remembered-logins.js';

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

/** How a session starts, where that differs from a login by password now. */
export interface SessionStart extends Partial<Session> {
  /** Until when the browser may continue the session. If omitted, the user is not remembered. */
  rememberUntil?: Date | undefined;
}

/** Sessions that the model keeps, by the cookie of the pages. */
export class ModelSessions implements Sessions {
  /** The cookie of "Remember me". If omitted, there is none. */
  readonly remembered: RememberedLogins | undefined;
  private readonly model: Model & SessionModel & RememberedModel;
  /** Those that were found for a request, while that is answered. */
  private readonly sessions = new WeakMap<object, Session>();

  constructor(
    private readonly server: ServerContext,
    private readonly lifetime: number,
    /** What of proof a login is. */
    private readonly defaultSignIn: Pick<SignIn, 'acr' | 'amr'> = {},
    /** Seconds for which a user is remembered. If omitted, no user is. */
    private readonly rememberLifetime?: number,
  ) {
    this.model = server.options.model as Model & SessionModel & RememberedModel;
    this.remembered = rememberLifetime === undefined ? undefined : new RememberedLogins(server);
  }

  async find(request: Request): Promise<User | undefined> {
    return (await this.findSession(request))?.user;
  }

  async howSignedIn(_user: User, request: Request): Promise<SignIn | undefined> {
    const { authTime, acr, amr, sid } = this.sessions.get(keyOf(request)) ?? (await this.findSession(request)) ?? {};
    return { authTime, acr, amr, sid };
  }

  async findSession(request: Request): Promise<Session | undefined> {
    const { value } = this.cookie(request);
    const session = value === undefined ? undefined : await this.model.getSession(this.idOf(value));
    if (!session || session.expiresAt.getTime() <= Date.now()) return undefined;
    this.sessions.set(keyOf(request), session);
    return session;
  }

  /** Returns until when a user who signs in now is remembered. */
  rememberUntil(remember: boolean | undefined): Date | undefined {
    const { rememberLifetime } = this;
    return remember && rememberLifetime ? new Date(Date.now() + rememberLifetime * 1000) : undefined;
  }

  /** Returns until when a user is remembered in this browser already. */
  async rememberedUntil(user: User, visit: BrowserRequest): Promise<Date | undefined> {
    const found = await this.remembered?.find(visit);
    return found?.state === 'current' && isSame(found.session.user, user) ? found.session.expiresAt : undefined;
  }

  /** Starts a new session. @param start how the user was authenticated. Default: by a password, now. */
  async start(
    user: User,
    request: Request,
    response: Response,
    { rememberUntil, ...more }: SessionStart = {},
  ): Promise<void> {
    const before = await this.findSession(request);
    const cookie = this.cookie(request, response);
    await this.forget(cookie);
    const visit = { request, response };
    await this.remembered?.end(visit);
    const now = Date.now();
    const { authTime = new Date(now), expiresAt = new Date(now + this.lifetime * 1000) } = more;
    // Who proves again who they are goes on with the session that clients know.
    const sid = (isSame(before?.user, user) && before?.sid) || randomBytes(16).toString('base64url');
    const sessionId = this.idOf(cookie.issue(Math.ceil((expiresAt.getTime() - now) / 1000)));
    const { issuer } = this.server.options;
    const at = { sessionId, user, authTime, expiresAt, sid, ...(issuer !== undefined && { issuer }) };
    const next = rememberUntil && this.remembered?.createToken(visit, rememberUntil);
    await this.model.saveSession({
      ...this.defaultSignIn,
      ...more,
      ...at,
      ...(next && { remembered: next.remembered }),
    });
    next?.issue();
  }

  /**
   * Continues a remembered session: a new session, with new cookies, that lasts no longer than the user is remembered.
   * @returns whether this was the first request with the token
   */
  async continueRemembered(remembered: RememberedSession, visit: BrowserRequest): Promise<boolean> {
    const { sessionId: token, user, authTime, acr, amr, sid, issuer, expiresAt: until } = remembered;
    const now = Date.now();
    const expiresAt = new Date(Math.min(now + this.lifetime * 1000, until.getTime()));
    const next = this.remembered!.createToken(visit, until);
    const value = randomBytes(32).toString('base64url');
    const session = { sessionId: this.idOf(value), user, authTime, expiresAt, acr, amr, sid, issuer };
    if (!(await this.model.continueSession(token, { ...session, remembered: next.remembered }))) return false;
    this.cookie(visit.request, visit.response).issue(Math.ceil((expiresAt.getTime() - now) / 1000), value);
    next.issue();
    return true;
  }

  async end(request: Request, response: Response): Promise<void> {
    const cookie = this.cookie(request, response);
    await this.forget(cookie);
    await this.remembered?.end({ request, response });
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
