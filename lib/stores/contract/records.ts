import type { StoredClient } from './ports.js';

/**
 * What a grant is:
 * - `tokens`: an authorization of a client, with its codes, tokens, device codes and pushed requests
 * - `session`: the session of a browser. `pending_login`: a login that is not finished, and may become a session
 * - `consent`: what a user agreed to. `sign_in`: the sign-in of a user at a client, which a logout notifies
 * - `message`: a message to a client that is still to be delivered
 * - `registration`: a client that registered itself and was never used
 * - `account`: the credentials of a user
 * - `personal_token`: a personal access token. `upstream`: tokens that another provider has issued for a user
 *
 * Later versions may add kinds, so a storage must treat all kinds alike.
 */
export type GrantKind =
  | 'tokens'
  | 'session'
  | 'pending_login'
  | 'consent'
  | 'sign_in'
  | 'message'
  | 'registration'
  | 'account'
  | 'personal_token'
  | 'upstream';

/** A list of kinds of grants, which is never empty. */
export type GrantKinds = readonly [GrantKind, ...GrantKind[]];

/** A grant, to which codes, tokens or other rows belong. Times are milliseconds since the epoch. */
export interface GrantRow {
  /** The primary key: a random ID, or a digest of a name. */
  id: string;
  /** What the grant is. It never changes. */
  kind: GrantKind;
  /** The ID of the client. Empty for a grant that belongs to no client, such as a session. */
  clientId: string;
  /** The ID of the user. `null` for a client credentials grant. Empty for a message, which belongs to no user. */
  userId: string | null;
  /** The issuer of the server that saved the grant. `null` if that server has no issuer. */
  issuer: string | null;
  /** The scope, separated by spaces. `null` if the grant has none. */
  scope: string | null;
  /** All other properties of the grant, as JSON. A storage never reads it. */
  data: string | null;
  /** When the grant began. `save()` sets it to the time of the database. */
  createdAt: number;
  /** When tokens were last issued for the grant. `null` if none were issued yet, or it is not a grant with tokens. */
  lastUsedAt: number | null;
  /** When the grant expires: the latest expiry of its codes and tokens. It may be extended. */
  expiresAt: number;
}

/** The kind of a row. Later versions may add kinds, so a storage must treat all kinds alike. */
export type RowKind =
  | 'code'
  | 'access'
  | 'refresh'
  | 'request'
  | 'session'
  | 'registration'
  | 'device'
  | 'user_code'
  | 'password'
  | 'passkey'
  | 'totp'
  | 'recovery_code'
  | 'identity'
  | 'email_proof'
  | 'personal_token'
  | 'upstream'
  | 'challenge'
  | 'deletion';

/** A list of kinds of rows, which is never empty. */
export type RowKinds = readonly [RowKind, ...RowKind[]];

/** The primary key of a row: its kind, and the digest of the code, token or ID. */
export interface RowKey {
  kind: RowKind;
  /** The SHA-256 of a code, token or ID, as 43 characters of base64url. The code or token itself is never stored. */
  digest: string;
}

/** The key of a row to mark as used, and optionally its new data. */
export interface ConsumedRow extends RowKey {
  /** The new data of the row. If omitted, the data stays unchanged. */
  data?: string;
}

/** A code, a token, or another record that belongs to a grant. Times are milliseconds since the epoch. */
export interface Row extends RowKey {
  /** The ID of the grant that the row belongs to. */
  grantId: string;
  clientId: string;
  userId: string | null;
  issuer: string | null;
  scope: string | null;
  /** All other properties of the row, as JSON. A storage never reads it. */
  data: string | null;
  /** When the row expires. `FOREVER` if it never does. */
  expiresAt: number;
  /**
   * Milliseconds until the row expires, from now by the clock of the database. If set, it is used instead of
   * `expiresAt`.
   */
  lifetime?: number;
}

/** A row as a storage returns it. */
export type StoredRow<R extends Row = Row> = R & {
  /** When the row was marked as used, in milliseconds since the epoch. `null` if the row is unused. */
  revokedAt: number | null;
  /**
   * Milliseconds since the row was marked as used, by the clock of the database. If omitted, the store computes it from
   * `revokedAt` and the clock of the process.
   */
  revokedAgo?: number;
  /**
   * Milliseconds until the row expires, by the clock of the database. If omitted, the store computes it from
   * `expiresAt` and the clock of the process.
   */
  expiresIn?: number;
  /**
   * The client of the row, if the storage reads it together with the row. `null` if the client does not exist. If
   * omitted, the store looks the client up.
   */
  client?: StoredClient | null;
};

/** Selects grants. Every field that is set must match. */
export interface GrantFilter {
  /** The kinds of the grants. Grants of other kinds are left alone. */
  kinds: GrantKinds;
  grantId?: string;
  userId?: string;
  clientId?: string;
  /** The issuer of the grants. A filter with `issuer` always has another field too. */
  issuer?: string;
}
