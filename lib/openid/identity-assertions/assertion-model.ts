import type { ExchangeRequest } from '../../features/token-exchange/exchange-model.js';
import type { AssertedUserModel } from '../../jose/trusted-issuers/asserted-model.js';
import type { Awaitable, Client, Falsy, Scope, User } from '../../model/model.js';
import type { AuthorizationDetail } from '../../contracts/authorization-details.js';

/** A validated request of a client for an identity assertion. */
export interface AssertionRequest<C extends Client = Client, U extends User = User> extends ExchangeRequest<C, U> {
  /**
   * The server that will redeem the assertion, as the client names it: its issuer identifier, or a name that this
   * server and the client know.
   */
  audience: string;
  /**
   * The scope that the client requests at the server that will redeem the assertion. If omitted, the client requests
   * none.
   */
  scope?: string;
  /**
   * The resources that the client requests at the server that will redeem the assertion. If empty, the client requests
   * none.
   */
  resource: readonly string[];
  /**
   * The authorization details that the client requests at the server that will redeem the assertion. If omitted, the
   * client requests none. RFC 9396 §2
   */
  authorizationDetails?: readonly AuthorizationDetail[];
}

/**
 * The content of an identity assertion that a client may have. Omitted properties are as requested, unless stated
 * otherwise.
 */
export interface AssertionPermission {
  /**
   * The ID of the requesting client at the server that will redeem the assertion. If omitted, its ID at this server,
   * for example if client IDs are URLs.
   */
  clientId?: string;
  /**
   * The claim `aud`: the issuer identifier of the server that will redeem the assertion. If omitted, the requested
   * audience.
   */
  audience?: string;
  /**
   * The server that will redeem the assertion, as a client of this server, if users sign in there through this server.
   * The assertion then contains the `sub` that it knows. If omitted, the `sub` that the requesting client knows.
   */
  relyingParty?: Client;
  /** The granted scope. If omitted, the requested scope. */
  scope?: Scope;
  /** The granted resources. If omitted, the requested resources. */
  resource?: readonly string[];
  /**
   * The granted authorization details, of the requested types. If omitted, none are granted, even if some were
   * requested. To grant all requested details, return `true` instead of this object. RFC 9396 §2
   */
  authorizationDetails?: readonly AuthorizationDetail[];
  /**
   * Additional claims by which the server that redeems the assertion may identify the user, such as `email`, `aud_sub`
   * or `tenant`.
   */
  claims?: object;
}

/** The model interface that decides which client gets an identity assertion for which user and which other server. */
export interface IdentityAssertionModel<C extends Client = Client, U extends User = User> extends AssertedUserModel<
  C,
  U
> {
  /**
   * Returns whether the client may have an identity assertion for the requested audience. `true` grants everything that
   * it requested. A falsy value refuses the request with `invalid_target`. Throw an
   * `InsufficientUserAuthenticationError` if the user has to sign in differently first. ID-JAG §4.3.3
   */
  mayAssert(request: AssertionRequest<C, U>): Awaitable<boolean | Falsy | AssertionPermission>;
}
