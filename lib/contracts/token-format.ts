import type { Awaitable, CoreClient, Token, Unsaved, User } from '../model/model.js';

/** A new access token whose text is not determined yet. */
export interface MintedToken {
  /** The token as it will be saved. Members that a feature adds to this object are saved as well. */
  token: Unsaved<Token>;
  client: CoreClient;
  user: User;
  /** The issuer that issues the token. `undefined` if the option `issuer` is not set. */
  issuer: string | undefined;
}

/** Returns the text of an access token, or `undefined` for an opaque token. RFC 6749 §1.4 */
export type TokenFormat = (minted: MintedToken) => Awaitable<string | undefined>;
