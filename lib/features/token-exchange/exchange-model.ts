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

/** Who acts for another: the claims that name them, and in `act` who did before. RFC 8693 §4.1 */
export interface Act {
  sub?: string;
  iss?: string;
  act?: Act;
  [claim: string]: unknown;
}

/** A token of somebody else, as a request brought it. */
export interface ForeignToken {
  value: string;
  /** Its type, as the client says: `urn:ietf:params:oauth:token-type:jwt`, … RFC 8693 §3 */
  type: string;
  /** The party whose rights are asked for, or the one that acts for it. */
  as: 'subject' | 'actor';
}

/** What a verifier has found a foreign token to say. */
export interface VerifiedToken<U extends User = User> {
  /** The user of this server that it stands for; of an actor, whoever it is. */
  user: U;
  /** What it is good for here, at most; left out: for nothing. Of a subject only. */
  scope?: Scope;
  /** The resources it is for, as absolute URIs; left out: for nothing in particular. Of a subject only. RFC 8707 §2 */
  resource?: string | readonly string[];
  /** When it is over: nothing that comes of it lasts longer. Left out: it does not end. */
  expiresAt?: Date;
  /** By which claims it names an actor. Left out: `sub`, the `id` of the user. RFC 8693 §4.1 */
  claims?: Readonly<Record<string, unknown>>;
  /** Its own `act`. RFC 8693 §4.1 */
  act?: Act;
  /** Its own `may_act`: who may act for its subject. Left out: it does not say. RFC 8693 §4.4 */
  may_act?: Readonly<Record<string, unknown>>;
  /** The key that it is bound to: good for who shows that with the request, which then binds its successor. RFC 7800 §3 */
  cnf?: object;
  /** All that it says. */
  allClaims?: Readonly<Record<string, unknown>>;
}

/** One of the two parties of an exchange. */
export interface SubjectOrActorToken<C extends Client = CoreClient, U extends User = User> extends VerifiedToken<U> {
  /** As the client said: `urn:ietf:params:oauth:token-type:access_token`, … RFC 8693 §3 */
  type: string;
  /** As it was found, where this server has issued it. */
  token?: Token<C, U> | RefreshToken<C, U>;
}

/** An exchange that a client asks for, which is good so far. */
export interface ExchangeRequest<C extends Client = Client, U extends User = User> {
  client: C;
  /** How the client proved itself: `client_secret_basic`, … or `none`. */
  proof: string;
  subject: SubjectOrActorToken<C, U>;
  /** Left out: the client takes the place of the subject, and nobody is said to act for it. RFC 8693 §1.1 */
  actor?: SubjectOrActorToken<C, U>;
  /** What the new token would say of who acts. RFC 8693 §4.1 */
  act?: Act;
  /** What is asked for, within what the subject has. */
  scope?: string;
  /** The resources that were named, by `resource` or `audience`; none: all that the subject token is for. */
  resource: readonly string[];
}

/** What more an exchange may have. */
export interface ExchangePermission {
  /** Resources that the new token may be for, beside those of the subject token: absolute URIs. */
  resource?: readonly string[];
}

/** Decides what may be exchanged, reads the tokens of others, and keeps what came of an exchange. RFC 8693 */
export interface TokenExchangeModel<C extends Client = Client, U extends User = User> {
  /**
   * May this client have this exchange? Asked when all else is good; scope, resources and lifetime are never more than those of the
   * subject token, but for the resources of a permission. Left out: a client that has proven who it is may exchange what was
   * issued to itself, or is for one of its `resources`, and no foreign token. RFC 8693 §2.1
   */
  mayExchange?(exchange: ExchangeRequest<C, U>): Awaitable<boolean | Falsy | ExchangePermission>;
  /**
   * Reads a token that this server has not issued: checks its signature, its issuer, that it is for this server, and its expiry.
   * Falsy: it is not good. Left out: there are none. RFC 8693 §5
   */
  verifyForeignToken?(token: ForeignToken, client: C): Awaitable<VerifiedToken<U> | Falsy>;
  /**
   * Saves what a token of this server was exchanged for, so that it ends with that, whoever's it is. Left out: `saveToken` does,
   * with the `grantId` of the subject token, where the model knows families.
   */
  saveExchangedToken?(
    subject: Token<C, U> | RefreshToken<C, U>,
    token: Unsaved<Token>,
    client: C,
    user: U,
  ): Awaitable<Token<C, U> | Falsy>;
}
