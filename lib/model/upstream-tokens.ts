import type { Awaitable } from './model.js';

/** The key of the tokens that another provider has issued for a user. */
export interface UpstreamTokensKey {
  /** A digest that identifies the server, the user and the provider: 43 characters of base64url. */
  id: string;
  /** The ID of the user, as text. */
  userId: string;
  /** The issuer of the server that stores the tokens. */
  issuer: string;
}

/** Stored tokens of another provider. */
export interface StoredUpstreamTokens extends UpstreamTokensKey {
  /** The stored text. Its tokens are encrypted. */
  data: string;
  /** Milliseconds until the entry expires, by the clock of the database. */
  expiresIn: number;
}

/** The text to store, and its lifetime. */
export interface UpstreamTokensValue {
  data: string;
  /** Milliseconds until the entry expires, from now by the clock of the database. */
  lifetime: number;
}

/**
 * Stores the tokens that other providers have issued for users, for `upstreams({ vault: true })`. Each entry is a grant
 * of its own. It ends with `revokeGrantsOf({ userId })`, `revokeBefore()` and `deleteAccount()`.
 */
export interface UpstreamTokenModel {
  /** Finds an entry by its ID. `undefined` if it does not exist, has expired or was revoked. */
  findUpstreamTokens(id: string): Awaitable<StoredUpstreamTokens | undefined>;
  /**
   * Adds an entry. An entry with this ID that has expired or was revoked is replaced.
   * @returns `true` for exactly one of several concurrent callers, `false` if the entry exists
   */
  addUpstreamTokens(key: UpstreamTokensKey, value: UpstreamTokensValue): Awaitable<boolean>;
  /**
   * Replaces the data of an entry, if it was not changed since it was found.
   * @param to If `lifetime` is omitted, the entry expires at the same time as before.
   * @returns `true` for exactly one of several concurrent callers with different data. `false` if the entry was changed.
   */
  replaceUpstreamTokens(
    from: StoredUpstreamTokens,
    to: Pick<UpstreamTokensValue, 'data'> & Partial<UpstreamTokensValue>,
  ): Awaitable<boolean>;
  /** Removes an entry. Returns whether it was active. */
  removeUpstreamTokens(id: string): Awaitable<boolean>;
  /** Returns the active entries of a user. */
  listUpstreamTokens(user: Pick<UpstreamTokensKey, 'userId' | 'issuer'>): Awaitable<StoredUpstreamTokens[]>;
}
