import type { Awaitable, Falsy, Token } from '../model/model.js';
import type { Authorization } from './authorization.js';
import { type ClientRequest, stateKey } from './client-request.js';
import type { Redemption, SaveToken } from './redemption.js';

/** A token request of an authenticated client. RFC 6749 §3.2 */
export interface TokenRequest extends ClientRequest {
  /**
   * Mints and saves the token that a grant established.
   * @param save saves the token. If omitted, the model's `saveToken()` does.
   */
  issue(authorization: Authorization, save?: SaveToken): Promise<Token>;
  /**
   * Mints a token, consumes the code or refresh token that it is issued for, and saves it in one step.
   * RFC 6749 §4.1.2, §6
   */
  redeem(authorization: Authorization, redemption: Redemption): Promise<Token>;
}

/**
 * Decides a token request. It validates what the client presents and ends in `request.issue()` or `request.redeem()`.
 * @throws {OAuthError} To refuse the request. RFC 6749 §1.3
 */
export interface GrantHandler {
  (request: TokenRequest): Awaitable<Token | Falsy>;
  /** Model methods that the grant needs. They are checked when the grant is first requested. */
  readonly requires?: readonly string[];
}

/** The type of the issued token, if that is not an access token: the response then says `token_type: N_A`. RFC 8693 §2.2.1 */
export const ISSUED_TOKEN_TYPE = stateKey<string>('ISSUED_TOKEN_TYPE');
