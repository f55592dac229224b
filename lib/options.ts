import type { OAuthError } from './errors.js';
import { InvalidArgumentError } from './errors.js';
import type { EventSink } from './events.js';
import type { GrantTypeClass } from './grants/grant-type-class.js';
import type { Request } from './http/request.js';
import type { Response } from './http/response.js';
import { adaptModel } from './model/adapt-model.js';
import type { Awaitable, Client, Falsy, Model, Scope, User } from './model/model.js';

/** Finds the user who is asked for consent at the authorization endpoint; falsy when nobody is signed in. */
export interface AuthenticateHandler {
  handle(request: Request, response: Response): Awaitable<User | Falsy>;
}

/** Options of `authenticate`. */
export interface AuthenticateOptions {
  /** The scope a token must have: space separated, or a list. */
  scope?: Scope;
  /** Name the required scope in `X-Accepted-OAuth-Scopes`. Default: true */
  addAcceptedScopesHeader?: boolean;
  /** Name the scope of the token in `X-OAuth-Scopes`. Default: true */
  addAuthorizedScopesHeader?: boolean;
  /** Accept the token as the query parameter `access_token`. Default: false. RFC 6750 §2.3 */
  allowBearerTokensInQueryString?: boolean;
}

/** Options of `authorize`. */
export interface AuthorizeOptions {
  /** Finds the signed-in user; without one, the request must carry the user's access token. */
  authenticateHandler?: AuthenticateHandler;
  /** Accept a request without `state`. Left out: one that brings a PKCE challenge. OAuth 2.1 §4.1.1 */
  allowEmptyState?: boolean;
  /** Seconds a code lives. Default: 300 */
  authorizationCodeLifetime?: number;
  /** Seconds an access token lives. Default: 3600 */
  accessTokenLifetime?: number;
  /** Whose authorization requests must bring a PKCE challenge. Default: 'public'. RFC 9700 §2.1.1 */
  requirePKCE?: 'public' | 'all' | 'none';
  /** Accept the `plain` challenge method. Default: false. RFC 7636 §4.2 */
  enablePlainPKCE?: boolean;
  /** The issuer identifier; when set, authorization responses carry it as `iss`. RFC 9207 §2 */
  issuer?: string;
}

/** Which pages of other origins may call an endpoint that allows it: never the authorization endpoint. RFC 9700 §2.6 */
export interface CorsOptions {
  /** Such as `https://app.example.com`; `'*'`: any. On the request itself it must be one of the client's too. */
  origins: readonly string[] | '*';
  /** Seconds in which a browser need not ask again. Default: 7200 */
  maxAge?: number;
}

/** Options of `token`. */
export interface TokenOptions {
  /** Seconds an access token lives; a client's own `accessTokenLifetime` wins. Default: 3600 */
  accessTokenLifetime?: number;
  /** Seconds a refresh token lives; a client's own `refreshTokenLifetime` wins. Default: 1209600 */
  refreshTokenLifetime?: number;
  /**
   * Seconds after which a grant is over, however often it was refreshed: no token outlives it. A year is advised. Default:
   * 0, never. For models with `revokeGrant`, which keep `grantedAt` with refresh tokens. RFC 9700 §4.14.2
   */
  grantLifetime?: number;
  /** Copy further properties of the saved token into the token response. Default: false */
  allowExtendedTokenAttributes?: boolean;
  /** `false` for a grant type: its clients need no secret. Default: every grant type requires authentication */
  requireClientAuthentication?: Readonly<Record<string, boolean>>;
  /** Replace a refresh token each time it is used. Default: true. RFC 9700 §4.14.2 */
  alwaysIssueNewRefreshToken?: boolean;
  /**
   * Seconds in which a spent refresh token may be presented again without being taken for stolen, so that a client whose
   * answer was lost has the same answer again. Default: 0. Ten is a good choice. For models with `redeem`.
   */
  refreshTokenReuseInterval?: number;
  /** Grant types by `grant_type` value, beside or instead of the built-in ones. RFC 6749 §4.5 */
  extendedGrantTypes?: Readonly<Record<string, GrantTypeClass>>;
  requirePKCE?: 'public' | 'all' | 'none';
  enablePlainPKCE?: boolean;
  /** Which pages of other origins may ask for tokens. Left out: nothing is said, and no origin is looked at. Fetch §3.2 */
  cors?: CorsOptions;
}

/** Options that hold for every operation. */
export interface CommonOptions {
  /** How scopes are handed to the model: 'string' as in 3.x, 'array' as in later versions. Default: 'string' */
  scopeFormat?: 'string' | 'array';
  /** Hears what the operator should: `OAuth2Events` has the names and payloads. */
  events?: EventSink;
}

/** What `new OAuth2Server()` takes: the model, and a default for any option of any operation. */
export interface OAuth2ServerOptions<C extends Client = Client, U extends User = User>
  extends AuthenticateOptions, AuthorizeOptions, TokenOptions, CommonOptions {
  model: Model<C, U>;
}

/** The options of one operation, settled: nothing that has a default is left out. */
export type Options = Omit<OAuth2ServerOptions, keyof typeof DEFAULTS> &
  Required<Pick<OAuth2ServerOptions, keyof typeof DEFAULTS>>;

export const DEFAULTS = {
  accessTokenLifetime: 3600,
  addAcceptedScopesHeader: true,
  addAuthorizedScopesHeader: true,
  allowBearerTokensInQueryString: false,
  allowExtendedTokenAttributes: false,
  alwaysIssueNewRefreshToken: true,
  authorizationCodeLifetime: 300,
  enablePlainPKCE: false,
  extendedGrantTypes: {},
  grantLifetime: 0,
  refreshTokenLifetime: 1209600,
  refreshTokenReuseInterval: 0,
  requireClientAuthentication: {},
  requirePKCE: 'public',
  scopeFormat: 'string',
} as const satisfies Partial<OAuth2ServerOptions>;

/** `given` over `defaults`; an option given as `undefined` erases nothing. */
export function settle<T extends object>(defaults: T, given: object): T {
  const settled: T = { ...defaults };
  for (const key of Object.keys(given) as (keyof T)[]) {
    const value = (given as T)[key];
    if (value !== undefined && key !== '__proto__') settled[key] = value;
  }
  return settled;
}

/** The options of one operation: those given over the defaults, with a model that can be called in one way. */
export function settleOptions(defaults: Options, given: { model?: unknown }): Options {
  const settled = settle(defaults, given);
  if (given.model === undefined) return settled;
  if (typeof given.model !== 'object' || given.model === null) {
    throw new InvalidArgumentError('Invalid parameter: `model`');
  }
  settled.model = adaptModel(settled.model);
  return settled;
}

export type Callback<T> = (error: OAuthError | null, result?: T) => void;
