import type { Awaitable, User } from './model.js';

/** A personal access token to save. */
export interface NewPersonalToken {
  /** The token itself. Only its digest is stored. */
  token: string;
  /** The name that the user has chosen. */
  name: string;
  /** The scope, with its values separated by spaces. */
  scope: string;
  /** The resources that the token is for. If omitted, it is for no particular resource. RFC 8707 §2 */
  resource?: readonly string[];
  /** The issuer of the server. If omitted, every server of the store accepts the token. */
  issuer?: string;
  expiresAt: Date;
}

/** A personal access token as its user and operators see it. The token itself cannot be read again. */
export interface PersonalToken extends Omit<NewPersonalToken, 'token'> {
  /** The ID of the grant of the token. */
  id: string;
  userId: string;
  createdAt: Date;
  /** When the token was last used. It is saved at most once a minute. If omitted, the token was never used. */
  lastUsedAt?: Date;
}

/** The stored use of a personal access token. */
export interface PersonalTokenUse {
  lastUsedAt: Date;
  /** Digests of the networks from which the token was used, the latest new one first. */
  networks: readonly string[];
}

/** A personal access token that was found by its text, with its user. */
export interface FoundPersonalToken extends Omit<PersonalToken, 'createdAt' | 'userId'> {
  user: User;
  /** Digests of the networks from which the token was used. */
  networks: readonly string[];
  /** The stored record, for `recordPersonalTokenUse()`. */
  record: { digest: string; data: string };
}

/** Model methods that store personal access tokens. */
export interface PersonalTokenModel {
  /**
   * Saves a personal access token of a user, as a grant of its own. `revokeGrantsOf()` and `revokeBefore()` end it.
   * Returns its ID.
   */
  savePersonalToken(token: NewPersonalToken, user: User): Awaitable<string>;
  /**
   * Finds a personal access token by its text. Returns `undefined` if it is unknown or revoked, or if its user no longer
   * exists. Its expiry may be in the past.
   */
  findPersonalToken(token: string): Awaitable<FoundPersonalToken | undefined>;
  /**
   * Saves when and where a token was used, if no other request has saved that since the token was found.
   * @returns `true` for exactly one of several concurrent callers with the same `found`
   */
  recordPersonalTokenUse(found: FoundPersonalToken, use: PersonalTokenUse): Awaitable<boolean>;
  /** Returns the active, unexpired personal access tokens of a user, the newest first. */
  listPersonalTokens(selection: { userId: string | number; issuer?: string }): Awaitable<PersonalToken[]>;
  /** Revokes a personal access token of a user. Returns whether it was active. */
  revokePersonalToken(token: { id: string; userId: string | number; issuer?: string }): Awaitable<boolean>;
}
