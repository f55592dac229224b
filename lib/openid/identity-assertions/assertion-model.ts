import type { ExchangeRequest } from '../../features/token-exchange/exchange-model.js';
import type { AssertedUserModel } from '../../jose/trusted-issuers/asserted-model.js';
import type { Awaitable, Client, Falsy, Scope, User } from '../../model/model.js';
import type { AuthorizationDetail } from '../../contracts/authorization-details.js';

/** An identity assertion that a client asks for, which is good so far. */
export interface AssertionRequest<C extends Client = Client, U extends User = User> extends ExchangeRequest<C, U> {
  /** The server that shall redeem it, as the client calls it: its issuer identifier, or a name that both sides know. */
  audience: string;
  /** The scope that is wanted there. */
  scope?: string;
  /** The resources that it is wanted for there; none: the client does not say. */
  resource: readonly string[];
  /** What the client wants to do there, by types that the other server knows; left out: it does not say. RFC 9396 §2 */
  authorizationDetails?: readonly AuthorizationDetail[];
}

/** What an identity assertion says. */
export interface AssertionPermission {
  /** The id that the client has at that server. Left out: the same as here, as where ids are URLs. */
  clientId?: string;
  /** The issuer identifier of that server. Left out: the audience, as the client calls it. */
  audience?: string;
  /** That server as the client of this one at which users sign in: it knows them by the same `sub`. Left out: the client that asks. */
  relyingParty?: Client;
  /** Left out: what was asked for. */
  scope?: Scope;
  /** Left out: what was asked for. */
  resource?: readonly string[];
  /**
   * The authorization details that it may have, of the types that were asked for. Left out: none, however many were asked; only `true` as
   * the whole answer grants them unseen. RFC 9396 §2
   */
  authorizationDetails?: readonly AuthorizationDetail[];
  /** More of the user by which that server may know them: `email`, `aud_sub`, `tenant`, … */
  claims?: object;
}

/** Decides which client may act for which user at which other server. */
export interface IdentityAssertionModel<C extends Client = Client, U extends User = User> extends AssertedUserModel<
  C,
  U
> {
  /**
   * May this client have an identity assertion for that server? True: all that it asks for. Falsy is `invalid_target`; that the user has to
   * sign in otherwise first says an `InsufficientUserAuthenticationError`. ID-JAG §4.3.3
   */
  mayAssert(request: AssertionRequest<C, U>): Awaitable<boolean | Falsy | AssertionPermission>;
}
