import type { AuthorizationCode, Awaitable, Falsy, RefreshToken, Token, Unsaved } from '../model/model.js';

/** Saves a new token. Returns the saved token, or a falsy value if it was not saved. */
export type SaveToken = (token: Unsaved<Token>) => Awaitable<Token | Falsy>;

/**
 * A single-use value that is redeemed for a token: an authorization code, a refresh token, a device code or an
 * assertion.
 */
export interface Redemption {
  /**
   * The stored code or refresh token, to pass to the model's `redeem()`. If omitted, `consumeAndSave` consumes the
   * value.
   */
  stored?: AuthorizationCode | RefreshToken;
  /** Consumes the value and saves the token atomically. `undefined` if the model cannot do both atomically. */
  consumeAndSave?: SaveToken | undefined;
  /**
   * The refresh token that encrypts the stored response. Set it if the client may repeat the request and get the same
   * response.
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
