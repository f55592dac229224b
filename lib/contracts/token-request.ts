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
   * Creates a token, consumes the single-use value that it is issued for, such as a code or refresh token, and saves
   * the token. If the model supports it, consuming and saving are atomic. RFC 6749 §4.1.2, §6
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
  /**
   * The names of the model methods that the grant needs. They are checked when a client requests the grant for the
   * first time.
   */
  readonly requires?: readonly string[];
}

/**
 * The state key for the type of the issued token if it is not an access token (`issued_token_type`). If it is set, the
 * response contains `token_type: N_A`. RFC 8693 §2.2.1
 */
export const ISSUED_TOKEN_TYPE = stateKey<string>('ISSUED_TOKEN_TYPE');
