import { assertConfig, signInClaims } from '../../../lib/internal.js';
import type { Request, Response, ServerContext, SignIn, UpstreamSession, User } from '../../../lib/index.js';
import { PageRedirect } from '../toolkit/answers.js';
import { returnPath, returnRequest, SITE } from '../site.js';
import { loginFlowOf } from './login-flow.js';

/** A login that a method has performed: who the user is, and how the user was authenticated. */
export interface FinishedLogin extends Pick<SignIn, 'acr' | 'authTime'> {
  user: User;
  /** The authentication methods, such as `['hwk']`. `mfa` proves a second factor. RFC 8176 §2 */
  amr: readonly string[];
  /** Whether the browser may continue the session after it expires. Requires `rememberLifetime` of `pages()`. */
  remember?: boolean;
  /** The session at another provider, if the user signed in there. */
  upstream?: UpstreamSession | undefined;
  /**
   * The path on this server to continue at: the `loginPath` that the method received for the login page. If omitted, the
   * `return_to` of the request.
   */
  returnTo?: string;
  /**
   * Returns whether the proof of the login is still valid. It is called once the session is saved, which is ended if not.
   * If omitted, it is not verified.
   */
  isCurrent?: () => Promise<boolean>;
}

/** The request on which a method has identified a user, such as a `PageCall`. */
interface LoginCall {
  readonly server: ServerContext;
  readonly endpoint: string;
  readonly request: Request;
  readonly response: Response;
}

/**
 * Continues the login of a user whom a method has identified: runs the steps that the login must pass, starts the
 * session, and returns to the page that required the login. The method must have verified that this browser began the
 * login, for example by a CSRF token or by `state`.
 * @returns the answer that sends the browser to the next step or back
 * @throws {InvalidArgumentError} If `acr` or `amr` is invalid, or if the server has no `pages()`.
 */
export async function finishLogin(
  { server, endpoint, request, response }: LoginCall,
  { returnTo, isCurrent, ...login }: FinishedLogin,
): Promise<PageRedirect> {
  const { user, acr, amr, authTime } = login;
  signInClaims({ amr, ...(acr !== undefined && { acr }), ...(authTime && { authTime }) });
  const site = server.find(SITE);
  assertConfig(site, '`finishLogin()` requires the feature `pages()`: add it to `features`');
  const pageRequest = { request: returnTo === undefined ? request : returnRequest(site, request, returnTo), response };
  const continued = await loginFlowOf(site).continue({ ...login, user }, pageRequest, { endpoint, isCurrent });
  const { problem, path = site.options.home } = continued;
  return new PageRedirect(problem ? site.loginPath(request, returnPath(pageRequest.request)) : path);
}
