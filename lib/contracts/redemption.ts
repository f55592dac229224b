import type { AuthorizationCode, Awaitable, Falsy, RefreshToken, Token, Unsaved } from '../model/model.js';

/** Saves a new token. Returns the saved token, or a falsy value if it was not saved. */
export type SaveToken = (token: Unsaved<Token>) => Awaitable<Token | Falsy>;

/**
 * The single-use value that is consumed for a token: an authorization code, a refresh token, a device code or an
 * assertion.
 */
export interface Redemption {
  /** The code or refresh token as the model found it, for the model's `redeem()`. If omitted, `together` consumes it. */
  stored?: AuthorizationCode | RefreshToken;
  /** Consumes and saves in one step. Undefined if the model cannot. */
  consumeAndSave?: SaveToken | undefined;
  /** The refresh token, if the client may repeat the request: the response is encrypted under it. */
  encryptResponseWith?: string;
  /** Consumes it, for models that cannot consume and save in one step. Returns a falsy value if it was consumed before. */
  consume(): Awaitable<unknown>;
  /** Handles a replay or a lost race: the value was consumed before. */
  handleReplay(): Promise<Token>;
}
