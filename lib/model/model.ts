import type { ClientRegistration } from './client-registration.js';
import type { EncryptionRegistration } from './encryption-registration.js';
import type { OpenIdRegistration } from './openid-registration.js';
import type { SignedRequestRegistration } from './signed-request-registration.js';

/** A value or a promise of it. Model methods may return either. */
export type Awaitable<T> = T | PromiseLike<T>;

/** The values that a model may return for "not found". */
export type Falsy = false | null | undefined | 0 | '';

/** Scope values, as text separated by spaces or as a list. A model may return either. RFC 6749 §3.3 */
export type Scope = string | readonly string[];

/** The properties of a client that the engine uses without any feature. RFC 6749 §2 */
export interface CoreClient {
  id: string;
  /** The grant types that the client may use. */
  grants: readonly string[];
  /** The registered redirect URIs. A requested `redirect_uri` must equal one of them as a whole. */
  redirectUris?: readonly string[];
  /**
   * The origins whose pages may use this client, if the option `cors` is set. If omitted, the origins of its redirect
   * URIs.
   */
  allowedOrigins?: readonly string[];
  /**
   * The protected resources that this client represents, as absolute URIs. It may introspect the access tokens for
   * them. RFC 7662 §2.1
   */
  resources?: readonly string[];
  /**
   * The host of the client ID metadata document, if the client's ID is a URL. Users see it next to the client's name,
   * which could be anything. `clientIdDocuments()` sets it. It is never stored. CIMD §8.5
   */
  clientIdHost?: string;
  /**
   * Whether the client must prove its sector before it gets the pairwise `sub` of that sector. `registration()` sets it
   * on clients that register themselves. If omitted, the registered sector is trusted. OpenID Connect Core §8.1
   */
  requiresSectorProof?: boolean;
  /**
   * The only issuer at which the client may be used. `registration()` sets it on clients that register themselves. If
   * omitted, the client may be used at every issuer, but servers of tenants reject a client that registered itself.
   * RFC 8414 §2
   */
  issuer?: string | null;
  /** Lifetime in seconds. It overrides the option of the server. */
  accessTokenLifetime?: number;
  /** Lifetime in seconds. It overrides the option of the server. */
  refreshTokenLifetime?: number;
}

/** The client fields that an application may set. A client that registers itself uses their names in snake case. */
export interface ClientFields
  extends ClientRegistration, EncryptionRegistration, OpenIdRegistration, SignedRequestRegistration {}

/**
 * A client application that requests tokens. The engine reads the fields of `ClientFields` by their keys, because a
 * client that registered itself has them in its `metadata`. RFC 6749 §2
 */
export interface Client extends CoreClient, ClientFields {}

/** The resource owner, as an object of the application. */
// oxlint-disable-next-line no-explicit-any
export type User = Record<string, any>;

/** An authorization code as the model saves and returns it, with its client and user. RFC 6749 §4.1.2 */
export interface AuthorizationCode<C extends Client = CoreClient, U extends User = User> {
  authorizationCode: string;
  expiresAt: Date;
  /** The `redirect_uri` of the authorization request. If omitted, the request did not contain one. */
  redirectUri?: string;
  scope?: Scope;
  client: C;
  user: U;
  codeChallenge?: string;
  codeChallengeMethod?: string;
  /** The ID of the token family. Only for models with `revokeGrant()`. */
  grantId?: string;
  /**
   * The issuer that issued the code or token. Only for models with `revokeGrant()`, and if the option `issuer` is set.
   * RFC 8414 §2
   */
  issuer?: string;
  /**
   * When the code was consumed, if it was. Only for models with `revokeGrant()`, which must still return consumed
   * codes.
   */
  revokedAt?: Date;
}

/** A refresh token as the model returns it. RFC 6749 §6 */
export interface RefreshToken<C extends Client = CoreClient, U extends User = User> {
  refreshToken: string;
  /** When the refresh token expires. If omitted, it does not expire. */
  refreshTokenExpiresAt?: Date;
  scope?: Scope;
  client: C;
  user: U;
  grantId?: string;
  /** The issuer that issued the refresh token, as it was saved. If omitted, none was saved. */
  issuer?: string;
  /** When the grant began, as saved. Only with the option `grantLifetime`. */
  grantedAt?: Date;
  revokedAt?: Date;
  /**
   * Seconds since `revokedAt`, by the clock of the database. If omitted, the clock of the server is used, which may
   * differ.
   */
  revokedAgo?: number;
  /**
   * The encrypted token response that replaced this used refresh token: the `rotatedToken` of the token that was passed
   * to `redeem()`. If omitted, the refresh request cannot be repeated.
   */
  rotatedToken?: string;
}

/** An access token, and its refresh token if there is one. RFC 6749 §5.1 */
export interface Token<C extends Client = CoreClient, U extends User = User> {
  accessToken: string;
  /** When the access token expires. Required: `authenticate()` rejects a token without it. */
  accessTokenExpiresAt: Date;
  refreshToken?: string;
  refreshTokenExpiresAt?: Date;
  scope?: Scope;
  client: C;
  user: U;
  /** The scope of the refresh token, if the access token has a narrower scope. Only for models with `revokeGrant()`. */
  refreshTokenScope?: Scope;
  /** The authorization code that is redeemed for the token. It is set only while the token is being saved. */
  authorizationCode?: string;
  /**
   * The token response, encrypted with the refresh token that was used for it. Store it with that used refresh token.
   * Only in calls of `redeem()`.
   */
  rotatedToken?: string;
  grantId?: string;
  /**
   * The issuer that issued the code or token. Only for models with `revokeGrant()`, and if the option `issuer` is set.
   * RFC 8414 §2
   */
  issuer?: string;
  /** When the grant began. Save it with the refresh token. Only with the option `grantLifetime`. */
  grantedAt?: Date;
  // oxlint-disable-next-line no-explicit-any
  [attribute: string]: any;
}

/** A record to save, without its client and user, which are passed as separate arguments. */
export type Unsaved<T> = { [K in keyof T as K extends 'client' | 'user' ? never : K]: T[K] };

/** Model methods for clients. */
export interface ClientModel<C extends Client = Client> {
  /**
   * Finds a client.
   * @param clientSecret The client secret, or `null` to find the client without verifying a secret.
   * @returns The client, or a falsy value if it does not exist or if the secret is wrong.
   */
  getClient(clientId: string, clientSecret: string | null): Awaitable<C | Falsy>;
  /**
   * Whether the client may request this scope, regardless of the user. It is called before the user has to sign in.
   * `validateScope()` decides later which part is granted. If omitted, every scope may be requested.
   */
  validateClientScope?(client: C, scope: Scope): Awaitable<boolean>;
}

/** Model methods for saving tokens. */
export interface TokenModel<C extends Client = Client, U extends User = User> {
  saveToken(token: Unsaved<Token>, client: C, user: U): Awaitable<Token<C, U> | Falsy>;
  generateAccessToken?(client: C, user: U, scope: Scope | undefined): Awaitable<string | Falsy>;
  generateRefreshToken?(client: C, user: U, scope: Scope | undefined): Awaitable<string | Falsy>;
  /**
   * Decides which scope is granted. If it returns `true`, the requested scope is granted. If it returns a scope, that
   * one is granted. A falsy value rejects the request. If omitted, the requested scope is granted.
   */
  validateScope?(user: U, client: C, scope: Scope | undefined): Awaitable<boolean | Scope | Falsy>;
}

/** Model methods for finding access tokens, for `authenticate()`. */
export interface AccessTokenModel<C extends Client = Client, U extends User = User> {
  getAccessToken(accessToken: string): Awaitable<Token<C, U> | Falsy>;
  /** Whether the token covers the required scope. If omitted, every required value must be in the token's scope. */
  verifyScope?(token: Token<C, U>, scope: Scope): Awaitable<boolean>;
}

/** The model of a separate resource server: it finds access tokens, and issues none. */
export interface ProtectedResourceModel<C extends Client = Client, U extends User = User> extends AccessTokenModel<
  C,
  U
> {
  getClient?: undefined;
  saveToken?: undefined;
}

/** Model methods for authorization codes. */
export interface AuthorizationCodeModel<C extends Client = Client, U extends User = User> {
  saveAuthorizationCode(
    code: Unsaved<AuthorizationCode>,
    client: C,
    user: U,
  ): Awaitable<Pick<AuthorizationCode<C, U>, 'authorizationCode'> | Falsy>;
  getAuthorizationCode(authorizationCode: string): Awaitable<AuthorizationCode<C, U> | Falsy>;
  /** Consumes the code. Returns a truthy value to exactly one of several concurrent callers. */
  revokeAuthorizationCode(code: AuthorizationCode<C, U>): Awaitable<boolean>;
  generateAuthorizationCode?(client: C, user: U, scope: Scope | undefined): Awaitable<string | Falsy>;
  /** Whether a redirect URI is allowed. If omitted, it must equal one of `client.redirectUris`. */
  validateRedirectUri?(redirectUri: string, client: C): Awaitable<boolean>;
}

/** Model methods for refresh tokens. */
export interface RefreshTokenModel<C extends Client = Client, U extends User = User> {
  getRefreshToken(refreshToken: string): Awaitable<RefreshToken<C, U> | Falsy>;
  /** Consumes the refresh token. Returns a truthy value to exactly one of several concurrent callers. */
  revokeToken(token: RefreshToken<C, U>): Awaitable<boolean>;
}

/** Model methods for the password grant. */
export interface PasswordModel<C extends Client = Client, U extends User = User> {
  getUser(username: string, password: string, client: C): Awaitable<U | Falsy>;
}

/** Model methods for the client credentials grant. */
export interface ClientCredentialsModel<C extends Client = Client, U extends User = User> {
  getUserFromClient(client: C): Awaitable<U | Falsy>;
}

/** Model methods for token families, which make replay detection revoke all related tokens. */
export interface GrantModel {
  /** Revokes every code and token saved with this `grantId`, including those that are saved later. RFC 9700 §4.14.2 */
  revokeGrant(grantId: string): Awaitable<unknown>;
}

/** Model methods for single-use values. */
export interface OnceModel {
  /**
   * Returns `true` to the first caller with this digest, and `false` to all other callers with it within the given
   * number of seconds.
   */
  once(digest: string, seconds: number): Awaitable<boolean>;
}

/**
 * A model method that consumes a code or refresh token and saves the new token atomically. A failure in between then
 * neither signs a user out nor looks like a replay.
 */
export interface RedeemModel<C extends Client = Client, U extends User = User> {
  /**
   * Consumes a code or refresh token and saves the new token, atomically. It replaces `revokeAuthorizationCode()` or
   * `revokeToken()`, followed by `saveToken()`. It must store `token.rotatedToken` with a consumed refresh token, and
   * return it later. RFC 9700 §4.14.2
   * @returns The saved token for exactly one of several concurrent callers, a falsy value for all others.
   */
  redeem(
    consumed: AuthorizationCode<C, U> | RefreshToken<C, U>,
    token: Unsaved<Token>,
    client: C,
    user: U,
  ): Awaitable<Token<C, U> | Falsy>;
}

/**
 * The model of an application, which stores its data. Methods for clients and tokens are required, all others depend on
 * the features used.
 */
export interface Model<C extends Client = CoreClient, U extends User = User>
  extends
    ClientModel<C>,
    TokenModel<C, U>,
    Partial<AccessTokenModel<C, U>>,
    Partial<AuthorizationCodeModel<C, U>>,
    Partial<RefreshTokenModel<C, U>>,
    Partial<PasswordModel<C, U>>,
    Partial<ClientCredentialsModel<C, U>>,
    Partial<GrantModel>,
    Partial<OnceModel>,
    Partial<RedeemModel<C, U>> {}

export type ModelMethod = keyof Model;
