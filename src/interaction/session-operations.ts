import type { ListedSession, Request, Response, SignIn, User } from '../../lib/index.js';
import type { Html } from '../pages/render/html.js';
import type { PageContent, RenderedPage } from '../pages/render/page-renderer.js';

/** The details of a login that the application has performed, for `OAuth2Sessions.signIn()`. */
export interface SignInOptions extends Pick<SignIn, 'acr' | 'amr' | 'authTime'> {
  /**
   * The authentication context class of the login. If omitted, none is reported to clients and APIs. OpenID Connect
   * Core 1.0 §2
   */
  acr?: string;
  /**
   * The authentication methods, such as `['pwd']` or `['email']`. `mfa` proves a second factor. If omitted, none are
   * reported to clients and APIs. RFC 8176 §2
   */
  amr?: readonly string[];
  /** When the user was authenticated, if an identity provider did that earlier. Default: now. */
  authTime?: Date;
  /**
   * Whether the browser may continue the session after it expires. Requires `rememberLifetime` of `pages()`. Default:
   * `false`.
   */
  remember?: boolean;
  /**
   * The path on this server to continue at, such as the `return_to` that the application saved before it sent the user
   * to an identity provider. If omitted, the `return_to` in the form or query of the request.
   */
  returnTo?: string;
  /**
   * Whether a POST request from another site may sign the user in, such as the form post of an identity provider. The
   * application must then protect the request from CSRF itself, for example with `state`. Default: `false`.
   */
  crossSite?: boolean;
}

/** The options of `OAuth2Sessions.findUser()`. */
export interface FindUserOptions {
  /**
   * Maximum number of seconds since the user authenticated. If the login is older, or its time is unknown, no user is
   * found. Set it before a credential is added to the account, because a session may have been stolen. Default: no
   * limit.
   */
  maxAge?: number;
}

/** A session of a user, for a page that lists them. */
export interface UserSession extends ListedSession {
  /** Whether this is the session of the browser that sent the request. */
  isCurrent: boolean;
}

/** A request of a browser and the response to it. */
export interface BrowserRequest {
  request: Request;
  response: Response;
}

/**
 * The operations of `OAuth2Sessions` on one server. The pages implement them; the module does not load the pages
 * itself.
 */
export interface SessionOperations {
  signIn(user: User, browser: BrowserRequest, options: SignInOptions): Promise<string | null>;
  signOut(browser: BrowserRequest): Promise<void>;
  findUser(browser: BrowserRequest, options: FindUserOptions): Promise<User | undefined>;
  list(browser: BrowserRequest, user?: User): Promise<UserSession[]>;
  end(browser: BrowserRequest, id: string, user?: User): Promise<boolean>;
  endOthers(browser: BrowserRequest, user?: User): Promise<number>;
  formFields(browser: BrowserRequest): Html;
  page(content: PageContent, browser: BrowserRequest): RenderedPage;
}
