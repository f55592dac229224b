import type { OAuthError } from '../errors/index.js';
import type { EventSink } from '../events/events.js';
import type { GrantTypeClass } from '../model/grant-type-class.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Awaitable, Client, Falsy, Model, Scope, User } from '../model/model.js';
import type { SignIn } from '../model/sign-in.js';
import type { CorsOptions } from './cors.js';
import type { TokenRequirements } from './token-requirements.js';

// What the options mean, for editors and for the README, whose table `npm run docs:options` makes of this page. Their
// kinds and defaults are in table.ts.

/** Options of `authorize` and `token`. */
export interface IssueOptions {
  /** Seconds an access token lives; a client's own `accessTokenLifetime` wins. Default: 3600 */
  accessTokenLifetime?: number;
  /** Whose authorization requests must bring a PKCE challenge. Default: 'public'. RFC 9700 §2.1.1 */
  requirePKCE?: 'public' | 'all' | 'none';
  /** Accept the `plain` challenge method. Default: false. RFC 7636 §4.2 */
  enablePlainPKCE?: boolean;
}

/** Options of `token`. */
export interface TokenOptions extends IssueOptions {
  /** Seconds a refresh token lives; a client's own `refreshTokenLifetime` wins. Default: 1209600 */
  refreshTokenLifetime?: number;
  /**
   * Replace a refresh token each time it is used; those of clients with `tokenEndpointAuthMethod: 'none'` are in any case.
   * Default: true. RFC 9700 §4.14.2
   */
  alwaysIssueNewRefreshToken?: boolean;
  /**
   * Seconds after which a grant is over, however often it was refreshed: no token outlives it. A year (31536000) is
   * advised. For models with `revokeGrant`, which keep `grantedAt` with refresh tokens. Default: 0. RFC 9700 §4.14.2
   */
  grantLifetime?: number;
  /**
   * Seconds in which a spent refresh token may be presented again without being taken for stolen, so that a client whose
   * answer was lost has the same answer again. Ten is a good choice. For models with `revokeGrant` and `redeem`. Default: 0
   */
  refreshTokenReuseInterval?: number;
  /** With `{ password: false }`, clients need no secret for this grant; of all others it is required. Default: {} */
  requireClientAuthentication?: Readonly<Record<string, boolean>>;
  /** Copy further properties of the saved token into the token response. Default: false */
  allowExtendedTokenAttributes?: boolean;
  /** Grant types by `grant_type` value, beside or instead of the built-in ones. Default: {}. RFC 6749 §4.5 */
  extendedGrantTypes?: Readonly<Record<string, GrantTypeClass>>;
  /**
   * Which pages of other origins may ask for tokens, and call the endpoints of features that allow it:
   * `{ origins: ['https://app.example.com'] }`. Left out: nothing is said, and no origin is looked at. Fetch §3.2
   */
  cors?: CorsOptions;
}

/** Options of `authorize`. */
export interface AuthorizeOptions extends IssueOptions {
  /** Seconds a code lives. Default: 300 */
  authorizationCodeLifetime?: number;
  /** Accept a request without `state`. Left out: one that brings a PKCE challenge. OAuth 2.1 §4.1.1 */
  allowEmptyState?: boolean;
  /**
   * The classic way to say who is signed in: `{ handle(request, response) }`. Left out, a request must carry the access
   * token of its user.
   */
  authenticateHandler?: AuthenticateHandler;
}

/** Options of `authenticate`. */
export interface AuthenticateDefaults {
  /** The scope a token must have: space separated, or a list. */
  scope?: Scope;
  /** Name the required scope in `X-Accepted-OAuth-Scopes`. Default: true */
  addAcceptedScopesHeader?: boolean;
  /** Name the scope of the token in `X-OAuth-Scopes`. Default: true */
  addAuthorizedScopesHeader?: boolean;
  /** Accept the token as the query parameter `access_token`. Default: false. RFC 6750 §2.3 */
  allowBearerTokensInQueryString?: boolean;
}

/** Options of a single call of `authenticate`: those that a server has defaults for, and the requirements of a route. */
export interface AuthenticateOptions extends AuthenticateDefaults, TokenRequirements {}

/** Options of every operation. */
export interface CommonOptions {
  /** How scopes are handed to the model: `'string'` as in 3.x, `'array'` as in later versions. Default: 'string' */
  scopeFormat?: 'string' | 'array';
  /** An `EventEmitter`, which hears what the operator should: `OAuth2Events` has the names and payloads. */
  events?: EventSink;
  /**
   * The issuer identifier: authorization responses carry it as `iss`, metadata name it, what is issued is its. Of the server as a
   * whole, and of no single call. RFC 9207 §2
   */
  issuer?: string;
}

/** Every option of the engine, but for the model. Nothing mapped: editors lose what is said of a mapped property. */
export interface EngineOptions extends AuthenticateDefaults, AuthorizeOptions, TokenOptions, CommonOptions {}

/** What `new OAuth2Server()` takes: the model, and a default for any option of any operation. */
export interface OAuth2ServerOptions<C extends Client = Client, U extends User = User> extends EngineOptions {
  /** What the host keeps: its clients and users, codes and tokens. */
  model: Model<C, U>;
}

/** Finds the user who is asked for consent at the authorization endpoint; falsy when nobody is signed in. */
export interface AuthenticateHandler {
  handle(request: Request, response: Response): Awaitable<User | Falsy>;
  /** How the user signed in, where that is known: it is kept with all that is issued. */
  howSignedIn?(user: User, request: Request): Awaitable<SignIn | Falsy>;
}

/** A Node callback, in place of the promise. */
export type Callback<T> = (error: OAuthError | null, result?: T) => void;
