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
} from '../../../lib/index.js';
import { type SessionClientModel, upstreamClientId } from '../../../lib/internal.js';
import { isSameUser } from '../../interaction/same-user.js';
import type { BrowserRequest } from '../../interaction/session-operations.js';
import { boundToUsers, usersOf } from '../../tenants/tenant-of.js';
import { BrowserCookie, newCookieValue } from './browser-cookie.js';
import { RememberedLogins } from './remembered-logins.js';

/** The login sessions of the browsers. `request.native` is the request of Express or Fastify. */
export interface Sessions {
  /** Returns the user who is signed in in this browser, or a falsy value. */
  find(request: Request): Awaitable<User | Falsy>;
  /**
   * Returns how and when this user signed in. `openid()` requires it. If omitted, nothing about the login is reported
   * to clients and APIs.
   */
  howSignedIn?(user: User, request: Request): Awaitable<SignIn | Falsy>;
  /** Starts a new session for an authenticated user, which replaces the session of the browser. */
  start(user: User, request: Request, response: Response): Awaitable<unknown>;
  end(request: Request, response: Response): Awaitable<unknown>;
}

/** The properties of a session to start. Properties that are not set default to those of a login by password now. */
export interface SessionStart extends Partial<Session> {
  /** Until when the browser may continue the session. If omitted, the user is not remembered. */
  rememberUntil?: Date | undefined;
  /**
   * Returns whether the proof of the login is still valid. Called once the session is saved: a change of the password
   * that comes later ends the session, and one that came earlier is noticed here. If omitted, it is not verified.
   */
  isCurrent?: (() => Promise<boolean>) | undefined;
}

/** Login sessions that the model stores, identified by a cookie of the pages. */
export class ModelSessions implements Sessions {
  /** The "Remember me" cookie. If omitted, users are not remembered. */
  readonly remembered: RememberedLogins | undefined;
  private readonly model: Model & SessionModel & RememberedModel & Partial<SessionClientModel>;
  /** The sessions that were found, by request, while the requests are handled. */
  private readonly sessions = new WeakMap<object, Session>();

  constructor(
    private readonly server: ServerContext,
    private readonly lifetime: number,
    /** The `acr` and `amr` of a login by password. */
    private readonly defaultSignIn: Pick<SignIn, 'acr' | 'amr'> = {},
    /** Seconds for which users are remembered. If omitted, they are not. */
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

  /** Returns until when a user who signs in now is remembered. `undefined` if the user is not. */
  rememberUntil(remember: boolean | undefined): Date | undefined {
    const { rememberLifetime } = this;
    return remember && rememberLifetime ? new Date(Date.now() + rememberLifetime * 1000) : undefined;
  }

  /** Returns until when a user is already remembered in this browser. `undefined` if the user is not. */
  async rememberedUntil(user: User, browserRequest: BrowserRequest): Promise<Date | undefined> {
    const state = await this.remembered?.find(browserRequest);
    return state?.state === 'current' && isSameUser(state.session.user, user) ? state.session.expiresAt : undefined;
  }

  /**
   * Starts a new session. By default the user was authenticated by password, now.
   * @returns `false` if the proof of the login is no longer valid. The browser is then signed out.
   */
  async start(
    user: User,
    request: Request,
    response: Response,
    { rememberUntil, isCurrent, ...more }: SessionStart = {},
  ): Promise<boolean> {
    const before = await this.findSession(request);
    const cookie = this.cookie(request, response);
    const browserRequest = { request, response };
    const now = Date.now();
    const isSame = isSameUser(before?.user, user);
    const { authTime = new Date(now), expiresAt = new Date(now + this.lifetime * 1000) } = more;
    // A user who authenticates again keeps the session id that clients know, and the session at a provider.
    const upstream = more.upstream ?? (isSame ? before?.upstream : undefined);
    const sid = (isSame && before?.sid) || randomBytes(16).toString('base64url');
    const value = newCookieValue();
    const sessionId = this.idOf(value);
    const { issuer } = this.server.options;
    const at = { sessionId, user, authTime, expiresAt, sid, ...(issuer !== undefined && { issuer }) };
    const next = rememberUntil && this.remembered?.createToken(browserRequest, rememberUntil);
    await this.model.saveSession({
      ...this.defaultSignIn,
      ...more,
      ...at,
      ...(upstream && { upstream }),
      ...(next && { remembered: next.remembered }),
    });
    const isStarted = !isCurrent || (await isCurrent());
    if (!isStarted) await this.model.revokeSession({ sessionId });
    await this.forget(cookie);
    await this.remembered?.end(browserRequest);
    if (!isStarted) return false;
    cookie.issue(Math.ceil((expiresAt.getTime() - now) / 1000), value);
    if (upstream?.sid !== undefined && issuer !== undefined) {
      const { iss, sub, sid: id } = upstream;
      const record = { userId: String(user['id']), sid, clientId: upstreamClientId({ iss, sid: id }), sub, issuer };
      await this.model.saveSessionClient?.(record, rememberUntil ?? expiresAt);
    }
    next?.issue();
    return true;
  }

  /**
   * Continues a remembered session: starts a new session with new cookies that lasts no longer than the user is
   * remembered.
   * @returns whether this was the first request with the token
   */
  async continueRemembered(remembered: RememberedSession, browserRequest: BrowserRequest): Promise<boolean> {
    const { sessionId: token, user, authTime, acr, amr, sid, issuer, upstream, expiresAt: until } = remembered;
    const now = Date.now();
    const expiresAt = new Date(Math.min(now + this.lifetime * 1000, until.getTime()));
    const next = this.remembered!.createToken(browserRequest, until);
    const value = newCookieValue();
    const sessionId = this.idOf(value);
    const session = { sessionId, user, authTime, expiresAt, acr, amr, sid, issuer, ...(upstream && { upstream }) };
    if (!(await this.model.continueSession(token, { ...session, remembered: next.remembered }))) return false;
    this.cookie(browserRequest.request, browserRequest.response).issue(
      Math.ceil((expiresAt.getTime() - now) / 1000),
      value,
    );
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

  /**
   * Returns the stored id of a session. Ids differ between tenants and realms, so that a cookie is valid for one only. The
   * prefix prevents the id from being used as a cookie.
   */
  private idOf(value: string): string {
    return usersOf(this.server) === undefined ? value : `tenant ${boundToUsers(value, this.server)}`;
  }

  private cookie(request: Request, response: Pick<Response, 'set'> = NOWHERE): BrowserCookie {
    return new BrowserCookie(request, response as Response, this.server);
  }
}

const NOWHERE = { set: () => undefined };

/** Interactions and pages wrap the same native request in different objects. */
const keyOf = (request: Request): object => (request['native'] as object | undefined) ?? request;
