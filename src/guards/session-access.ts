import {
  assertConfig,
  authenticateBy,
  noAuthentication,
  originOf,
  toOAuthError,
  capability,
} from '../../lib/internal.js';
import {
  type AuthenticateOptions,
  type Awaitable,
  type OAuth2Server,
  type Request,
  Response,
  type ServerContext,
  type Token,
  UnauthorizedRequestError,
} from '../../lib/index.js';
import type { AccessRequirements } from './access-requirements.js';

/** The login sessions of a server that its guards may accept instead of access tokens. */
export interface SessionAccess {
  /** Whether routes without `@AcceptSession()` accept sessions. */
  readonly isDefault: boolean;
  /**
   * Returns the session of a browser as a token without `accessToken` and `client`. `undefined` if the request has no
   * active session.
   */
  find(request: Request): Awaitable<Token | undefined>;
}

/** The capability key of the sessions that guards may accept. `pages()` provides them. */
export const SESSION_ACCESS = capability<SessionAccess>('login sessions', 'pages');

/**
 * Returns the sessions that a route accepts. `undefined` if it accepts tokens only.
 * @throws {InvalidArgumentError} If the route has `@AcceptSession()` and the server has no sessions.
 */
export function sessionsFor(
  { context }: OAuth2Server,
  { acceptSession }: AccessRequirements,
): SessionAccess | undefined {
  // A mock server of a test has no context.
  if (acceptSession === false || !(context as ServerContext | undefined)) return undefined;
  const access = context.find(SESSION_ACCESS);
  assertConfig(access || !acceptSession, NO_SESSIONS);
  return access && (acceptSession ?? access.isDefault) ? access : undefined;
}

export const NO_SESSIONS =
  '@AcceptSession() requires `pages()` among the `features` of the server: add it, or remove the decorator';

/**
 * Lets `authenticate()` accept the login session of a request without an access token. The response is not cached,
 * because it depends on the cookie.
 */
export function authenticateBySession(
  sessions: SessionAccess,
  request: Request,
  response: Response,
  context: ServerContext,
): void {
  markAsPersonal(response);
  const find = async () => {
    const token = await findSession(sessions, request, context);
    if (token) return token;
    throw noAuthentication();
  };
  authenticateBy(request, { owner: context, find });
}

/**
 * Returns the login session of a request without an access token to a route with `@OptionalAuth()`. `undefined` if the
 * request has no session that the route accepts.
 */
export async function findOptionalSession(
  sessions: SessionAccess,
  request: Request,
  response: Response,
  { server, options }: { server: OAuth2Server; options: AuthenticateOptions | undefined },
): Promise<Token | undefined> {
  try {
    markAsPersonal(response);
    if (!(await findSession(sessions, request, server.context))) return undefined;
    authenticateBySession(sessions, request, response, server.context);
    return await server.authenticate(request, new Response(), options);
  } catch (error) {
    if (toOAuthError(error).code < 500) return undefined;
    throw error;
  }
}

/** Prevents caches from serving a response that depends on a session to another browser. RFC 9111 §3, §4.1 */
function markAsPersonal({ headers }: Response): void {
  headers['vary'] = 'Cookie, Origin, Sec-Fetch-Site';
  headers['cache-control'] = 'private, no-store';
}

/** Methods that a page may send without the header of `provesScript()`. RFC 9110 §9.2.1 */
const SAFE = ['GET', 'HEAD'];

/**
 * Whether a browser proves that a page of the same origin sent the request, and, if the method is unsafe, that a script
 * did. A request that proves neither may have been forged by another site (CSRF).
 */
const isFromOwnPage = (request: Request, issuer: string | undefined): boolean =>
  isSameOrigin(request, issuer) && (SAFE.includes(request.method.toUpperCase()) || provesScript(request));

/**
 * Whether the browser reports that a page of this origin sent the request: by `Sec-Fetch-Site`, or, if the browser does
 * not send this header, by an `Origin` that is the origin of the issuer. A request without both headers is not
 * accepted, unlike by `senderOf()`. An address that the user typed (`none`) is not accepted either. Fetch Metadata §2.3
 */
function isSameOrigin(request: Request, issuer: string | undefined): boolean {
  const site: unknown = request.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  return issuer !== undefined && originOf(request) === new URL(issuer).origin;
}

/**
 * Whether the request has a header that a form cannot set, and that scripts of other origins cannot set without a
 * preflight request. The content type is not sufficient: requests such as DELETE have none. Fetch §2.2.2
 */
const provesScript = (request: Request): boolean => Boolean(request.get('x-requested-with'));

/**
 * Returns the login session of a request. `undefined` if the request has no active session.
 * @throws {UnauthorizedRequestError} If another site may have sent the request.
 */
async function findSession(
  sessions: SessionAccess,
  request: Request,
  context: ServerContext,
): Promise<Token | undefined> {
  if (!request.get('cookie')) return undefined;
  if (isFromOwnPage(request, context.issuerOf(request))) return sessions.find(request);
  throw new UnauthorizedRequestError(
    'Unauthorized request: a session is accepted only from pages of the same origin, and for methods other than GET and HEAD only with a header `X-Requested-With`',
  ).because({
    reason: 'request with a cookie has no proof that a script of the same origin sent it',
    remedy:
      'call the API from a page of the same origin, with a header `X-Requested-With` for methods other than GET and HEAD, or send an access token',
    given: `Sec-Fetch-Site: ${request.get('sec-fetch-site') ?? '-'}, Origin: ${originOf(request) ?? '-'}`,
  });
}
