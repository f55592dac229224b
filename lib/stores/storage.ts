import type { Awaitable } from '../model/model.js';
import type { StoredClient } from './ports.js';

/** What one authorization established, and all that came of it hangs on. Times are milliseconds since the epoch. */
export interface GrantRow {
  id: string;
  clientId: string;
  /** null: the client acts for itself. */
  userId: string | null;
  scope: string | null;
  createdAt: number;
  /** When tokens were last issued on it; null: never yet. */
  lastUsedAt: number | null;
  /** When the last thing that hangs on it expires. */
  expiresAt: number;
  revokedAt: number | null;
}

/** An access or refresh token; it is kept as its digest. */
export interface TokenRow {
  digest: string;
  grantId: string;
  clientId: string;
  userId: string | null;
  scope: string | null;
  expiresAt: number;
  /** When it was spent. */
  revokedAt: number | null;
}

/** An authorization code. */
export interface CodeRow extends TokenRow {
  redirectUri: string | null;
  codeChallenge: string | null;
  codeChallengeMethod: string | null;
}

/** A row, with its client where that came along; null: the client is gone. Left out: the `clients` port is asked. */
export type Found<Row> = Row & { client?: StoredClient | null };

/** Which grants: every field that is given must match. */
export interface GrantFilter {
  grantId?: string;
  userId?: string;
  clientId?: string;
}

/** The steps of a store, each of them atomic, however many processes take it at once. */
export interface Storage {
  /** Keeps a code, and the grant it belongs to from now on. */
  saveCode(grant: GrantRow, code: CodeRow): Awaitable<void>;
  /** Finds spent codes too, until they expire, but none whose grant was revoked. */
  findCode(digest: string): Awaitable<Found<CodeRow> | undefined>;
  /** Marks a code as spent: true for exactly one caller. */
  spendCode(digest: string, now: number): Awaitable<boolean>;
  /** Keeps tokens and their grant; when the grant was revoked, none of them is ever found. */
  saveTokens(grant: GrantRow, accessToken: TokenRow, refreshToken: TokenRow | undefined): Awaitable<void>;
  /** Finds no token whose grant was revoked. */
  findAccessToken(digest: string): Awaitable<Found<TokenRow> | undefined>;
  /** Finds spent tokens too, but none whose grant was revoked. */
  findRefreshToken(digest: string): Awaitable<Found<TokenRow> | undefined>;
  /** Marks a refresh token as spent: true for exactly one caller. */
  spendRefreshToken(digest: string, now: number): Awaitable<boolean>;
  /** Ends a grant and all that hangs on it; the number of grants that were alive. */
  revokeGrant(id: string, now: number): Awaitable<number>;
  revokeGrants(filter: GrantFilter, now: number): Awaitable<number>;
  /** The grants of a user that are alive and have been used, the latest first. */
  listGrants(userId: string, now: number): Awaitable<GrantRow[]>;
  /** Forgets what has expired, in batches where that matters; the number of rows. */
  prune(now: number, batchSize: number): Awaitable<number>;
}

/** Where a store keeps clients of its own; each step is atomic. */
export interface ClientStorage {
  findClient(id: string): Awaitable<StoredClient | undefined>;
  /** Keeps a client, new or changed; its secrets stay as they are when `secretHashes` is left out. */
  saveClient(client: StoredClient): Awaitable<void>;
  /** Replaces the secrets, if they still are `old`. */
  replaceSecretHashes(id: string, old: readonly string[], hashes: readonly string[]): Awaitable<boolean>;
  removeClient(id: string): Awaitable<boolean>;
}
