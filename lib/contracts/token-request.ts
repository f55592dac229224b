import type { Awaitable, Falsy, Token } from '../model/model.js';
import type { Authorization } from './authorization.js';
import { type ClientRequest, stateKey } from './client-request.js';
import type { Redemption, SaveToken } from './redemption.js';

/** A token request of an authenticated client. RFC 6749 §3.2 */
export interface TokenRequest extends ClientRequest {
  /**
   * Creates and saves the token for an authorization.
   * @param save Saves the token. If omitted, the model's `saveToken()` is called.
   */
  issue(authorization: Authorization, save?: SaveToken): Promise<Token>;
  /**
   * Creates a token, consumes the code or refresh token that it is issued for, and saves the token, atomically if the
   * model can. RFC 6749 §4.1.2, §6
   */
  redeem(authorization: Authorization, redemption: Redemption): Promise<Token>;
}

/**
 * Handles a token request of one grant type. It validates the request and ends in `request.issue()` or
 * `request.redeem()`.
 * @throws {OAuthError} To reject the request. RFC 6749 §1.3
 */
export interface GrantHandler {
  (request: TokenRequest): Awaitable<Token | Falsy>;
  /** The model methods that the grant needs. They are checked when the grant is first requested. */
  readonly requires?: readonly string[];
}

/**
 * The type of the issued token if it is not an access token. The response then contains `token_type: N_A`.
 * RFC 8693 §2.2.1
 */
export const ISSUED_TOKEN_TYPE = stateKey<string>('ISSUED_TOKEN_TYPE');
