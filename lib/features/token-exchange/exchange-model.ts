import type {
  Awaitable,
  Client,
  CoreClient,
  Falsy,
  RefreshToken,
  Scope,
  Token,
  Unsaved,
  User,
} from '../../model/model.js';

/** The claims of an actor, with the earlier actor in `act`. RFC 8693 §4.1 */
export interface Act {
  sub?: string;
  iss?: string;
  act?: Act;
  [claim: string]: unknown;
}

/** A token that this server has not issued, as a client presents it. */
export interface ForeignToken {
  value: string;
  /** The token type that the client declares, such as `urn:ietf:params:oauth:token-type:jwt`. RFC 8693 §3 */
  type: string;
  /** Whether the client presents it as the subject token or as the actor token. */
  as: 'subject' | 'actor';
}

/** The properties of a foreign token that was verified. */
export interface VerifiedToken<U extends User = User> {
  /** The user of this server that the token identifies. For an actor token, the actor. */
  user: U;
  /** The maximum scope of the new token. If omitted, the new token has no scope. For subject tokens only. */
  scope?: Scope;
  /**
   * The resources that the token is for, as absolute URIs. If omitted, it is not restricted to resources. For subject
   * tokens only. RFC 8707 §2
   */
  resource?: string | readonly string[];
  /**
   * When the token expires. Tokens that are issued for it expire at this time at the latest. If omitted, the token does
   * not expire.
   */
  expiresAt?: Date;
  /** The claims that identify the token's user in `act`. If omitted, `sub` with the `id` of the user. RFC 8693 §4.1 */
  claims?: Readonly<Record<string, unknown>>;
  /** The claim `act` of the token: its current actor. RFC 8693 §4.1 */
  act?: Act;
  /**
   * The claim `may_act` of the token: the actor that may act for its subject. If omitted, the token does not restrict
   * actors. RFC 8693 §4.4
   */
  may_act?: Readonly<Record<string, unknown>>;
  /**
   * The claim `cnf`: the key that the token is bound to. The request must prove possession of the same key, to which
   * the new token is bound. If omitted, the token is not bound. RFC 7800 §3
   */
  cnf?: object;
  /** All claims of the token. */
  allClaims?: Readonly<Record<string, unknown>>;
}

/** A subject token or actor token that is valid, with its properties. */
export interface SubjectOrActorToken<C extends Client = CoreClient, U extends User = User> extends VerifiedToken<U> {
  /** The token type that the client declares, such as `urn:ietf:params:oauth:token-type:access_token`. RFC 8693 §3 */
  type: string;
  /** The stored token, if this server has issued it. Omitted for foreign tokens. */
  token?: Token<C, U> | RefreshToken<C, U>;
}

/** A token exchange that a client requests, with valid tokens. */
export interface ExchangeRequest<C extends Client = Client, U extends User = User> {
  client: C;
  /** The method by which the client authenticated, such as `client_secret_basic`, or `none`. */
  authenticationMethod: string;
  subject: SubjectOrActorToken<C, U>;
  /** The actor token. If omitted, the client acts as the subject (impersonation). RFC 8693 §1.1 */
  actor?: SubjectOrActorToken<C, U>;
  /** The claim `act` that the new token would get. Omitted if it would have no actor. RFC 8693 §4.1 */
  act?: Act;
  /** The requested scope. If omitted, that of the subject token. */
  scope?: string;
  /**
   * The resources requested with `resource` or `audience`. If empty, the client requests all resources of the subject
   * token.
   */
  resource: readonly string[];
}

/** Additional permissions for a token exchange. */
export interface ExchangePermission {
  /** Resources that the new token may be for, in addition to those of the subject token, as absolute URIs. */
  resource?: readonly string[];
}

/** A model that permits token exchanges, verifies foreign tokens and saves exchanged tokens. RFC 8693 */
export interface TokenExchangeModel<C extends Client = Client, U extends User = User> {
  /**
   * Decides whether the client may exchange these tokens. Called once the tokens are verified. The new token never
   * exceeds the scope, resources and lifetime of the subject token, except for resources of the returned permission. If
   * omitted, an authenticated client may exchange its own tokens and tokens for one of its `resources`, but no foreign
   * token. RFC 8693 §2.1
   */
  mayExchange?(exchange: ExchangeRequest<C, U>): Awaitable<boolean | Falsy | ExchangePermission>;
  /**
   * Verifies a token that this server has not issued: its signature, issuer, audience and expiry. Return a falsy value
   * if it is invalid. If omitted, foreign tokens that no feature verifies are refused. RFC 8693 §5
   */
  verifyForeignToken?(token: ForeignToken, client: C): Awaitable<VerifiedToken<U> | Falsy>;
  /**
   * Saves a token that was issued for a token of this server, so that it is revoked with that token. If omitted,
   * `saveToken()` is called, with the `grantId` of the subject token if the model supports token families.
   */
  saveExchangedToken?(
    subject: Token<C, U> | RefreshToken<C, U>,
    token: Unsaved<Token>,
    client: C,
    user: U,
  ): Awaitable<Token<C, U> | Falsy>;
}
