import type { Awaitable, CoreClient, Token, Unsaved, User } from '../model/model.js';

/** A token that is all but its own text. */
export interface Minted {
  /** As it will be saved; what a feature adds here is saved with it. */
  token: Unsaved<Token>;
  client: CoreClient;
  user: User;
  /** Who gives it out; undefined: the host has named nobody. */
  issuer: string | undefined;
}

/** Writes the text of access tokens; undefined: this one is opaque. RFC 6749 §1.4 */
export type TokenFormat = (minted: Minted) => Awaitable<string | undefined>;
