import type { ClientRegistration } from './client-registration.js';
import type { EncryptionRegistration } from './encryption-registration.js';
import type { OpenIdRegistration } from './openid-registration.js';
import type { SignedRequestRegistration } from './signed-request-registration.js';

/** A value, or a promise of it: a model may be written either way. */
export type Awaitable<T> = T | PromiseLike<T>;

/** What a model returns for "there is none". */
export type Falsy = false | null | undefined | 0 | '';

/** Scope values, space separated or as a list; both are understood wherever a model returns one. RFC 6749 §3.3 */
export type Scope = string | readonly string[];

/** The properties of a client that every part of the engine may read. RFC 6749 §2 */
export interface CoreClient {
  id: string;
  /** The `grant_type` values this client may use. */
  grants: readonly string[];
  /** Where the answer of an authorization request may be sent: whole URIs. */
  redirectUris?: readonly string[];
  /** From which pages it may be used, where the option `cors` is set. Left out: the origins of its redirect URIs. */
  allowedOrigins?: readonly string[];
  /** The protected resources that it is, as absolute URIs: it may introspect the access tokens for these. RFC 7662 §2.1 */
  resources?: readonly string[];
  /**
   * The host of the document that describes it, where its id is the URL of one: what users are shown beside its name, which
   * may be anybody's. Set by `clientIdDocuments()`, never kept by a host. CIMD §8.5
   */
  clientIdHost?: string;
  /**
   * Whether the client must prove its sector before it gets the pairwise `sub` of that sector. `registration()` sets it on each client
   * that registers itself. If omitted, the sector is that of the client's registration. OpenID Connect Core §8.1
   */
  requiresSectorProof?: boolean;
  /**
   * The only issuer at which the client may be used. `registration()` sets it on each client that registers itself. If omitted, the
   * client may be used at every issuer, except that servers of tenants refuse a client that registered itself. RFC 8414 §2
   */
  issuer?: string | null;
  /** Seconds; wins over the server's option. */
  accessTokenLifetime?: number;
  /** Seconds; wins over the server's option. */
  refreshTokenLifetime?: number;
}

/** The client fields that an application may set. A client may register each of them itself, by its name in snake case. */
export interface ClientFields
  extends ClientRegistration, EncryptionRegistration, OpenIdRegistration, SignedRequestRegistration {}

/**
 * An application that asks for tokens, as the host sets it up. The engine reads the fields of `ClientFields` by their keys, because
 * a client that registered itself has them in its `metadata`. RFC 6749 §2
 */
export interface Client extends CoreClient, ClientFields {}

/** The resource owner, in whatever shape the host keeps its users. */
// oxlint-disable-next-line no-explicit-any
export type User = Record<string, any>;

/** An authorization code as it is saved and found again. RFC 6749 §4.1.2 */
export interface AuthorizationCode<C extends Client = CoreClient, U extends User = User> {
  authorizationCode: string;
  expiresAt: Date;
  /** As the authorization request gave it; left out when the request did. */
  redirectUri?: string;
  scope?: Scope;
  client: C;
  user: U;
  codeChallenge?: string;
  codeChallengeMethod?: string;
  /** The family of everything that came of one authorization. Only for models with `revokeGrant`. */
  grantId?: string;
  /** The issuer it was given out by. Only for models with `revokeGrant`, and where the host has named one. RFC 8414 §2 */
  issuer?: string;
  /** When it was spent. Only for models with `revokeGrant`, which go on finding spent codes. */
  revokedAt?: Date;
}

/** A refresh token as it is found. RFC 6749 §6 */
export interface RefreshToken<C extends Client = CoreClient, U extends User = User> {
  refreshToken: string;
  /** Left out: it does not expire. */
  refreshTokenExpiresAt?: Date;
  scope?: Scope;
  client: C;
  user: U;
  grantId?: string;
  /** As it was saved. */
  issuer?: string;
  /** As it was saved: when the grant began. Only with the option `grantLifetime`. */
  grantedAt?: Date;
  revokedAt?: Date;
  /** Seconds since then by the clock of the database; left out: that of the server tells, which may be another. */
  revokedAgo?: number;
  /** Of a spent one: what `redeem` was given as `token.successor`. */
  successor?: string;
}

/** An access token, with its refresh token when there is one. RFC 6749 §5.1 */
export interface Token<C extends Client = CoreClient, U extends User = User> {
  accessToken: string;
  /** Never left out: a token without one is not taken for eternal, and `authenticate` refuses it. */
  accessTokenExpiresAt: Date;
  refreshToken?: string;
  refreshTokenExpiresAt?: Date;
  scope?: Scope;
  client: C;
  user: U;
  /** The scope of the refresh token, where the access token has less of it. Only for models with `revokeGrant`. */
  refreshTokenScope?: Scope;
  /** The code this token was given for; only while it is being saved. */
  authorizationCode?: string;
  /** This answer, sealed under the refresh token it replaces, to be kept beside that; only for `redeem`. */
  successor?: string;
  grantId?: string;
  /** The issuer it was given out by. Only for models with `revokeGrant`, and where the host has named one. RFC 8414 §2 */
  issuer?: string;
  /** When the grant began, to be kept with the refresh token. Only with the option `grantLifetime`. */
  grantedAt?: Date;
  // oxlint-disable-next-line no-explicit-any
  [attribute: string]: any;
}

/** What `saveToken` and `saveAuthorizationCode` are given: the record without its client and user, which follow. */
export type Unsaved<T> = { [K in keyof T as K extends 'client' | 'user' ? never : K]: T[K] };

/** Knows the clients. */
export interface ClientModel<C extends Client = Client> {
  /**
   * @param clientSecret null when the caller brings no secret: look the client up without checking one
   * @returns falsy when there is no such client or its secret is wrong
   */
  getClient(clientId: string, clientSecret: string | null): Awaitable<C | Falsy>;
  /**
   * May this client ask for this scope, whoever the user is? Asked before anybody has to sign in for a request that would
   * be refused; `validateScope` decides later. Left out: nothing is refused that early.
   */
  validateClientScope?(client: C, scope: Scope): Awaitable<boolean>;
}

/** Saves tokens. */
export interface TokenModel<C extends Client = Client, U extends User = User> {
  saveToken(token: Unsaved<Token>, client: C, user: U): Awaitable<Token<C, U> | Falsy>;
  generateAccessToken?(client: C, user: U, scope: Scope | undefined): Awaitable<string | Falsy>;
  generateRefreshToken?(client: C, user: U, scope: Scope | undefined): Awaitable<string | Falsy>;
  /** `true`: as requested; a scope: what is granted; falsy: refused. */
  validateScope?(user: U, client: C, scope: Scope | undefined): Awaitable<boolean | Scope | Falsy>;
}

/** Finds access tokens, for `authenticate`. */
export interface AccessTokenModel<C extends Client = Client, U extends User = User> {
  getAccessToken(accessToken: string): Awaitable<Token<C, U> | Falsy>;
  /** Does the token reach this scope? Left out: each required value must be in the token's scope. */
  verifyScope?(token: Token<C, U>, scope: Scope): Awaitable<boolean>;
}

/** All that an API needs which lives apart from its authorization server: it finds tokens, and issues none. */
export interface ProtectedResourceModel<C extends Client = Client, U extends User = User> extends AccessTokenModel<
  C,
  U
> {
  getClient?: undefined;
  saveToken?: undefined;
}

/** Keeps authorization codes, for `authorize` and the authorization code grant. */
export interface AuthorizationCodeModel<C extends Client = Client, U extends User = User> {
  saveAuthorizationCode(
    code: Unsaved<AuthorizationCode>,
    client: C,
    user: U,
  ): Awaitable<Pick<AuthorizationCode<C, U>, 'authorizationCode'> | Falsy>;
  getAuthorizationCode(authorizationCode: string): Awaitable<AuthorizationCode<C, U> | Falsy>;
  /** Spends the code: truthy for exactly one caller, however many try at once. */
  revokeAuthorizationCode(code: AuthorizationCode<C, U>): Awaitable<boolean>;
  generateAuthorizationCode?(client: C, user: U, scope: Scope | undefined): Awaitable<string | Falsy>;
  /** Replaces the comparison with `client.redirectUris`. */
  validateRedirectUri?(redirectUri: string, client: C): Awaitable<boolean>;
}

/** Keeps refresh tokens. */
export interface RefreshTokenModel<C extends Client = Client, U extends User = User> {
  getRefreshToken(refreshToken: string): Awaitable<RefreshToken<C, U> | Falsy>;
  /** Spends the refresh token: truthy for exactly one caller, however many try at once. */
  revokeToken(token: RefreshToken<C, U>): Awaitable<boolean>;
}

/** Checks passwords, for the password grant. */
export interface PasswordModel<C extends Client = Client, U extends User = User> {
  getUser(username: string, password: string, client: C): Awaitable<U | Falsy>;
}

/** Names the user a client acts as when it acts for itself. */
export interface ClientCredentialsModel<C extends Client = Client, U extends User = User> {
  getUserFromClient(client: C): Awaitable<U | Falsy>;
}

/** Ends whole families of tokens, so that a replayed code or refresh token takes all that came of it along. */
export interface GrantModel {
  /** Revokes every code and token saved with this `grantId`, and lets none live that is saved later. RFC 9700 §4.14.2 */
  revokeGrant(grantId: string): Awaitable<unknown>;
}

/** Remembers for a while what may happen only once. */
export interface OnceModel {
  /** True for the first caller with this digest, false for all others in the next so many seconds, however many at once. */
  once(digest: string, seconds: number): Awaitable<boolean>;
}

/** Spends and saves in one step, so that a failure between the two can neither sign a user out nor look like a theft. */
export interface RedeemModel<C extends Client = Client, U extends User = User> {
  /**
   * Spends a code or refresh token, as it was found, and saves what came of it: both or neither. Falsy for all but one
   * caller, however many try at once. Beside a spent refresh token `token.successor` is kept, and found again. It
   * stands in for `revokeAuthorizationCode` or `revokeToken`, and `saveToken` after it. RFC 9700 §4.14.2
   */
  redeem(
    consumed: AuthorizationCode<C, U> | RefreshToken<C, U>,
    token: Unsaved<Token>,
    client: C,
    user: U,
  ): Awaitable<Token<C, U> | Falsy>;
}

/** What the host keeps: clients and tokens always, the rest for the features it wants. */
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
