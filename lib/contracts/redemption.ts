import type { AuthorizationCode, Awaitable, Falsy, RefreshToken, Token, Unsaved } from '../model/model.js';

/** A function that saves a new token. It returns the saved token, or a falsy value if the token was not saved. */
export type SaveToken = (token: Unsaved<Token>) => Awaitable<Token | Falsy>;

/**
 * A single-use value that is redeemed for a token: an authorization code, a refresh token, a device code or an
 * assertion.
 */
export interface Redemption {
  /**
   * The stored code or refresh token, which `redeem()` of the model consumes. If omitted, or if the model has no
   * `redeem()`, `consumeAndSave` or `consume()` consumes the value.
   */
  stored?: AuthorizationCode | RefreshToken;
  /**
   * Consumes the value and saves the token atomically. If omitted, `redeem()` of the model consumes `stored` and saves
   * the token. Without either, `consume()` is called and the token is saved separately.
   */
  consumeAndSave?: SaveToken | undefined;
  /**
   * The refresh token whose text encrypts the token response for the rotation grace period. Set it if the client may
   * repeat the request and get the same response. If omitted, the response is not stored.
   */
  encryptResponseWith?: string;
  /**
   * Consumes the value, for models that cannot consume and save atomically. Returns a falsy value if it was already
   * consumed.
   */
  consume(): Awaitable<unknown>;
  /**
   * Handles a value that was already consumed: a replay, or a lost race. It throws, or returns the token of the first
   * request.
   */
  handleReplay(): Promise<Token>;
}
