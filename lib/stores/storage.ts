import type { Awaitable } from '../model/model.js';
import type { StoredClient } from './ports.js';

/** A grant: one authorization, to which its codes and tokens belong. Times are milliseconds since the epoch. */
export interface GrantRow {
  id: string;
  clientId: string;
  /** The id of the user. `null` for a client credentials grant. */
  userId: string | null;
  /** The issuer that issued the grant. `null` if the server has none. */
  issuer: string | null;
  scope: string | null;
  /** Everything else that belongs to the grant, as JSON. */
  data: string | null;
  createdAt: number;
  /** When tokens were last issued for the grant. `null` if none were issued yet. */
  lastUsedAt: number | null;
  /** When the last row of the grant expires. */
  expiresAt: number;
}

/** The kind of a row. Later versions may add kinds, so a storage treats all kinds alike. */
export type RowKind =
  'code' | 'access' | 'refresh' | 'request' | 'session' | 'consent' | 'registration' | 'device' | 'user_code';

/** The primary key of a row. */
export interface RowKey {
  kind: RowKind;
  /** The SHA-256 of a code or token, as 43 characters of base64url. The code or token itself is never stored. */
  digest: string;
}

/** A row that is to be marked as used. */
export interface ConsumedRow extends RowKey {
  /** The new data of the row. If omitted, the data stays as it is. */
  data?: string;
}

/** A code, a token, or another record that belongs to a grant. */
export interface Row extends RowKey {
  grantId: string;
  clientId: string;
  userId: string | null;
  issuer: string | null;
  scope: string | null;
  /** Everything else that belongs to the row, as JSON. */
  data: string | null;
  expiresAt: number;
  /** If set, the row expires after this many milliseconds by the clock of the database, whatever `expiresAt` is. */
  lifetime?: number;
}

/** A row as a storage returns it. */
export type StoredRow<R extends Row = Row> = R & {
  /** When the row was marked as used. `null` if it is unused. */
  revokedAt: number | null;
  /** Milliseconds since the row was marked as used, by the clock of the database. If omitted, `revokedAt` is exact. */
  revokedAgo?: number;
  /** Milliseconds until the row expires, by the clock of the database. If omitted, `expiresAt` is exact. */
  expiresIn?: number;
  /**
   * The client of the row, if the storage has read it too. `null` if the client was removed. If omitted, the store
   * looks the client up.
   */
  client?: StoredClient | null;
};

/** Selects grants: every field that is given must match. */
export interface GrantFilter {
  grantId?: string;
  userId?: string;
  clientId?: string;
  /** Narrows one of the other fields. A filter never consists of the issuer alone. */
  issuer?: string;
}

/**
 * The contract of a database for a store: about a dozen verbs. Implement it, together with `ClientStorage`, to build a
 * store over another database, and pass it to `Store`.
 *
 * Several processes call the verbs at the same time, and their clocks differ. Each verb is atomic unless it says
 * otherwise: callers observe all of it or nothing. When a promise is fulfilled, the change is durable and visible to
 * every process. Times that decide are read from the clock of the database. A row is active only while its grant is, so
 * that revoking a grant is one write, whatever is saved for it at the same time.
 */
export interface Storage {
  /**
   * Saves a grant, and rows that belong to it. A new grant is inserted, with the time of the database as `createdAt`. A
   * known grant gets `lastUsedAt` unless that is `null`, and the later `expiresAt`; its other fields stay. If a known
   * grant was revoked, it stays revoked, and `find()` never returns the rows.
   *
   * Concurrent calls with the same new grant save it once, and all their rows. If the call fails midway, the grant may
   * be saved without its rows, but a row is never found without its grant.
   * @param grant If omitted, the rows belong to a grant that was saved before.
   * @param rows If empty, only the grant is saved.
   */
  keep(grant: GrantRow | undefined, rows: readonly Row[]): Awaitable<void>;
  /**
   * Marks a row as used and saves the rows that replace it, as one step: both or neither, even if the process stops in
   * between. The grant is changed as `keep()` changes it.
   * @returns `true` for exactly one of all callers that mark this row, also by `spend()`. `true` too if the grant was
   * revoked, but then `find()` never returns the new rows. `false` if the row does not exist or is used: then nothing
   * is saved.
   */
  consumeAndSave(consumed: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Awaitable<boolean>;
  /**
   * Finds a row. A used row is found too, with `revokedAt`, at least until it expires. Rows of a revoked grant are not
   * found, nor rows of a grant that `isRevokedBefore()` reports as ended. After `revokeGrants()` is fulfilled, no process
   * finds the rows.
   */
  find(kind: RowKind, digest: string): Awaitable<StoredRow | undefined>;
  /**
   * Marks a row as used.
   * @returns `true` for exactly one of all callers. `false` if the row does not exist or is used.
   */
  spend(kind: RowKind, digest: string): Awaitable<boolean>;
  /**
   * Compares and sets: changes `grantId`, `userId`, `scope` and `data` of a row, and its expiry if `to.lifetime` is
   * set, provided that the row is unused and its `data` is still `from.data`.
   * @returns `true` for exactly one of several callers with the same `from`, otherwise `false` and nothing is changed
   */
  change(from: Row, to: Row): Awaitable<boolean>;
  /**
   * Remembers a single-use value for a number of seconds, by the clock of the database.
   * @returns `true` for the first caller only. After the seconds, the next caller is the first again.
   * @throws If the value cannot be remembered for that long. A value must never be forgotten early, since it could be
   * replayed.
   */
  once(digest: string, seconds: number): Awaitable<boolean>;
  /** Returns the text that is stored under a name, or `undefined`. Texts never expire. */
  readText(name: string): Awaitable<string | undefined>;
  /**
   * Compares and sets: stores a text under a name of at most 43 characters, provided that the stored text is still
   * `old`.
   * @param old `undefined` if no text is stored yet
   * @returns `true` for exactly one of several callers with the same `old`, otherwise `false` and nothing is stored
   */
  replaceText(name: string, old: string | undefined, text: string): Awaitable<boolean>;
  /**
   * Revokes grants, and with them all rows that belong to them or are saved for them later. The grants of a whole
   * client (`{ clientId }` alone) end in one step, however many there are, including a grant that another process saves
   * at the same moment. A revoked grant is never active again.
   * @returns the number of grants that were active. A storage may stop counting at a large number.
   */
  revokeGrants(filter: GrantFilter): Awaitable<number>;
  /** Returns whether a grant is stored and was not revoked. */
  hasGrant(id: string): Awaitable<boolean>;
  /**
   * Returns the grants of a user that were not revoked, have not expired and have a `lastUsedAt`, the latest first.
   * Pass them through `withoutRevokedBefore()`, which leaves out grants that `revokeBefore()` has ended.
   */
  listGrants(userId: string): Awaitable<GrantRow[]>;
  /**
   * Reads a page of the grants that match, were not revoked and have not expired, in an order that does not change.
   * Pass them through `withoutRevokedBefore()`. A page may be empty and still have a `next`.
   * @param after the cursor of the last grant that was read. If `undefined`, the first page.
   * @param limit maximum number of grants to read
   */
  pageGrants(filter: GrantFilter, after: string | undefined, limit: number): Awaitable<GrantPage>;
  /**
   * Deletes expired rows, grants and single-use values. Texts stay. A grant stays for a minute after it has expired, so
   * that a request on its way still finds out that the grant was revoked. A database that deletes expired records by
   * itself returns 0.
   * @param batchSize maximum number of records to delete with one statement
   * @returns how many records were deleted
   */
  prune(batchSize: number): Awaitable<number>;
}

/** A page of grants. */
export interface GrantPage {
  /** The cursor of the last grant that was read. If omitted, this is the last page. */
  next?: string;
  grants: { grant: GrantRow; cursor: string }[];
}

/** A client as a storage returns it. */
export interface ClientRecord {
  /** The client with its hashed secrets, disabled or not. */
  client: StoredClient;
  createdAt: number;
  /** The time of the look-up, by the clock of the database. */
  readAt: number;
  /** The version of the client: `saveClient()` compares it with the stored one. Only the storage reads it. */
  version: unknown;
}

/** A page of clients. */
export interface ClientPage {
  clients: ClientRecord[];
  /** The id of the last client that was read. If omitted, this is the last page. */
  next?: string;
}

/**
 * The contract of a database for a store that keeps clients. Each verb is atomic. The store calls `readClock()` even if
 * the application keeps its clients.
 */
export interface ClientStorage {
  /** Finds a client, disabled or not. The id matches exactly, upper and lower case included. */
  findClient(id: string): Awaitable<ClientRecord | undefined>;
  /**
   * Compares and sets: saves a client, provided that the stored client is still the one that was found. A client that
   * comes back under the id of a removed client does not get the grants of that client.
   * @param previous the result of `findClient()`. If `undefined`, there must be no client with this id.
   * @param endsGrants whether all grants of the client end in the same step
   * @returns `true` for exactly one of several callers with the same `found`, otherwise `false` and nothing is saved
   */
  saveClient(client: StoredClient, previous: ClientRecord | undefined, endsGrants: boolean): Awaitable<boolean>;
  /** Adds a client unless a client with this id exists or was ever removed. Returns whether this call added it. */
  addNewClient(client: StoredClient): Awaitable<boolean>;
  /**
   * Removes a client and ends its grants, in one step. The id is remembered even if there is no such client:
   * `addNewClient()` refuses it from then on.
   * @returns whether there was such a client
   */
  removeClient(id: string): Awaitable<boolean>;
  /**
   * Returns clients in the order of their ids.
   * @param after The page begins behind this id. An empty string is the first page.
   * @param limit maximum number of clients to read
   */
  listClients(after: string, limit: number): Awaitable<ClientPage>;
  /** Returns the time of the database, in milliseconds since the epoch. */
  readClock(): Awaitable<number>;
}
