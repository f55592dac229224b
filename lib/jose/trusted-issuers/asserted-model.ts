import type { Awaitable, Client, Falsy, User } from '../../model/model.js';

/** The claims of a JWT of a trusted issuer. Its signature, audience and expiry have been verified. */
export interface AssertionClaims {
  /** The issuer of the JWT. Two issuers may use the same `sub` for different users. RFC 7519 §4.1.1 */
  iss: string;
  /** The identifier of the user at the issuer. */
  sub: string;
  [claim: string]: unknown;
}

/** The model interface that finds the local user of a JWT of a trusted issuer. */
export interface AssertedUserModel<C extends Client = Client, U extends User = User> {
  /**
   * Returns the local user that a JWT of a trusted issuer identifies. Use `iss` and `sub` together. Never use `sub`
   * alone, or an `email` that the issuer may not have verified. Return a falsy value if there is no user, or if this
   * client must not use JWTs of this issuer. RFC 7523 §3
   */
  findAssertedUser(claims: AssertionClaims, client: C): Awaitable<U | Falsy>;
}
