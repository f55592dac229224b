import type { OAuthError } from '../errors/index.js';
import type { EventSink } from '../events/events.js';
import type { GrantTypeClass } from '../model/grant-type-class.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Awaitable, Client, Falsy, Model, Scope, User } from '../model/model.js';
import type { SignIn } from '../model/sign-in.js';
import type { CorsOptions } from './cors.js';
import type { RefreshTokenReuseInterval } from './reuse-interval.js';
import type { TokenRequirements } from './token-requirements.js';

// `npm run docs:options` creates the tables of docs/reference/options.md from these doc comments. Validation and
// defaults are in engine-options.ts.

/** Options that `authorize` and `token` share. */
export interface IssueOptions {
  /** Lifetime of access tokens, in seconds. The `accessTokenLifetime` of a client overrides it. Default: `3600`. */
  accessTokenLifetime?: number;
  /** Which clients must use PKCE: public clients, all clients, or none. Default: `'public'`. RFC 9700 §2.1.1 */
  requirePKCE?: 'public' | 'all' | 'none';
  /** Accept the PKCE challenge method `plain`. Default: `false`. RFC 7636 §4.2 */
  enablePlainPKCE?: boolean;
}

/** Options of `token`. */
export interface TokenOptions extends IssueOptions {
  /**
   * Lifetime of refresh tokens, in seconds. The `refreshTokenLifetime` of a client overrides it. Default: `1209600`.
   */
  refreshTokenLifetime?: number;
  /**
   * Refresh token rotation: replace a refresh token each time it is used. The refresh tokens of public clients are
   * always replaced. Default: `true`. RFC 9700 §4.14.2
   */
  alwaysIssueNewRefreshToken?: boolean;
  /**
   * Maximum lifetime of a grant in seconds, including all refreshed tokens. `0` sets no limit. A year (31536000) is
   * recommended. The model must implement `revokeGrant` and save `grantedAt` with refresh tokens. Default: `0`.
   * RFC 9700 §4.14.2
   */
  grantLifetime?: number;
  /**
   * Rotation grace period in seconds: a client that did not receive the response may repeat the refresh request, and
   * gets the same response again. Later, a used refresh token counts as a replay. With `'until-used'`, the period ends
   * when the new refresh token is used, at the latest after a week, and a repeated request gets a new access token if
   * the first one has expired. `{ untilUsed: 86400 }` sets another maximum in seconds. Recommended: `10`. The model must
   * implement `revokeGrant` and `redeem`. Default: `0`.
   */
  refreshTokenReuseInterval?: RefreshTokenReuseInterval;
  /**
   * Whether a grant type requires client authentication: `{ password: false }` lets clients use it without. Grant types
   * that are not listed require it, except for public clients. Default: `{}`.
   */
  requireClientAuthentication?: Readonly<Record<string, boolean>>;
  /** Copy additional properties of the saved token into the token response. Default: `false`. */
  allowExtendedTokenAttributes?: boolean;
  /**
   * Classes of further grant types, by `grant_type`. They can also replace built-in ones. This is the classic way of
   * `oauth2-server`: in new code, a feature provides grant types (`grants`). Default: `{}`. RFC 6749 §4.5
   */
  extendedGrantTypes?: Readonly<Record<string, GrantTypeClass>>;
  /**
   * The origins whose pages may call the token endpoint and the endpoints of features that allow CORS:
   * `{ origins: ['https://app.example.com'] }`. If omitted, no CORS headers are sent, and origins are not checked.
   * Fetch §3.2
   */
  cors?: CorsOptions;
}

/** Options of `authorize`, of the server or of a single call. Prefer options of the server. */
export interface AuthorizeOptions extends IssueOptions {
  /** Lifetime of authorization codes, in seconds. Default: `300`. */
  authorizationCodeLifetime?: number;
  /**
   * Accept authorization requests without `state`. If omitted, only requests with a PKCE challenge may omit it. OAuth
   * 2.1 §4.1.1
   */
  allowEmptyState?: boolean;
  /**
   * Finds the signed-in user, as in the `oauth2-server` package: `{ handle(request, response) }`. If omitted, the
   * authorization request must contain an access token of its user.
   */
  authenticateHandler?: AuthenticateHandler;
}

/** Options of `authenticate`. */
export interface AuthenticateDefaults {
  /** The scope that a token must have, as text separated by spaces or as a list. If omitted, any scope is accepted. */
  scope?: Scope;
  /** Send the required scope in the response header `X-Accepted-OAuth-Scopes`. Default: `true`. */
  addAcceptedScopesHeader?: boolean;
  /** Send the scope of the token in the response header `X-OAuth-Scopes`. Default: `true`. */
  addAuthorizedScopesHeader?: boolean;
  /** Accept the token in the query parameter `access_token`. Default: `false`. RFC 6750 §2.3 */
  allowBearerTokensInQueryString?: boolean;
}

/**
 * The options of a single call of `authenticate()`: options that override those of the server, and further requirements
 * for the token. Prefer options of the server, which are checked at the start.
 */
export interface AuthenticateOptions extends AuthenticateDefaults, TokenRequirements {}

/** Options that all operations share. */
export interface CommonOptions {
  /**
   * How scopes are passed to the model: `'string'` as in version 3.x, `'array'` as in later versions. Default:
   * `'string'`.
   */
  scopeFormat?: 'string' | 'array';
  /** An `EventEmitter` that receives the events of the server. `OAuth2Events` lists their names and payloads. */
  events?: EventSink;
  /**
   * The issuer identifier. It is sent as `iss` in authorization responses, published in the metadata, and stored with
   * codes and tokens. It cannot be set for a single call. RFC 9207 §2
   */
  issuer?: string;
}

/**
 * All options of the engine except the model. No mapped types: editors do not show doc comments of mapped properties.
 */
export interface EngineOptions extends AuthenticateDefaults, AuthorizeOptions, TokenOptions, CommonOptions {}

/** The options of `new OAuth2Server()`: the model, and defaults for the options of all operations. */
export interface OAuth2ServerOptions<C extends Client = Client, U extends User = User> extends EngineOptions {
  /** The model, which stores clients, users, codes and tokens. */
  model: Model<C, U>;
}

/**
 * Finds the user who is asked for consent at the authorization endpoint. Returns a falsy value if no user is signed in.
 */
export interface AuthenticateHandler {
  handle(request: Request, response: Response): Awaitable<User | Falsy>;
  /** Returns how the user signed in, if known. It is stored with the issued codes and tokens. */
  howSignedIn?(user: User, request: Request): Awaitable<SignIn | Falsy>;
}

/** A Node-style callback, as an alternative to the returned promise, for code that was written for `oauth2-server`. */
export type Callback<T> = (error: OAuthError | null, result?: T) => void;
