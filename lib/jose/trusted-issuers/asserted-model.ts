import type { Awaitable, Client, Falsy, User } from '../../model/model.js';

/** What a JWT says whose issuer is trusted: its signature is good, it is for this server, and its time has not passed. */
export interface AssertionClaims {
  /** Who says it. The same `sub` of another issuer is another user. RFC 7519 §4.1.1 */
  iss: string;
  /** Whom it is about, as its issuer knows them. */
  sub: string;
  [claim: string]: unknown;
}

/** Knows whom other servers speak of. */
export interface AssertedUserModel<C extends Client = Client, U extends User = User> {
  /**
   * The user here of whom a trusted issuer speaks: by `iss` and `sub` together, never by `sub` alone, nor by an `email` that the
   * issuer may not vouch for. Falsy: there is none, or this client may have nothing of that issuer. RFC 7523 §3
   */
  findAssertedUser(claims: AssertionClaims, client: C): Awaitable<U | Falsy>;
}
