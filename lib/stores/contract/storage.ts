import type { Count } from '../../model/counts.js';
import type { Awaitable } from '../../model/model.js';
import type { ConsumedRow, GrantFilter, GrantKinds, GrantRow, Row, RowKind, StoredRow, RowKinds } from './records.js';

export type * from './records.js';

/**
 * The operations of a database for a store. To build a store over another database, implement this interface together
 * with `ClientStorage`, and pass the implementation to `Store`.
 *
 * Rules for all methods:
 * - Several processes call the methods concurrently, and their clocks differ. Compare times with the clock of the
 * database.
 * - Each method is atomic unless it says otherwise: other callers observe all of its changes or none, even if the
 * process stops.
 * - When a promise is fulfilled, the changes are durable, and every later call in any process observes them.
 * - A row is active only while its grant is. Look up the grant together with the row instead of changing its rows. So
 * revoking a grant is one write, which also covers rows that are saved concurrently or later.
 * - `revokeBefore()` of a store saves its times as the text `NOT_BEFORE`, with `replaceText()`. Read the first
 * `REVISION_LENGTH` characters of this text together with each row or list of grants. `RevocationTimesCache` returns
 * the times for them.
 * - A storage may combine concurrent calls of a method in one statement. A look-up must observe every write whose
 * promise was fulfilled before the look-up was called, so a look-up never joins a statement that was already sent.
 * - If the database fails, the promise rejects. The caller does not know then whether the changes were made.
 */
export interface Storage {
  /**
   * Saves a grant and rows that belong to it. The keys of the rows are new.
   *
   * - A new grant is inserted. Its `createdAt` is the time of the database.
   * - A known grant is extended: it gets `lastUsedAt` unless that is `null`, and the later one of both `expiresAt`. Its
   * other fields are unchanged.
   * - A revoked grant stays revoked. The call does not fail, but `find()` never returns the rows.
   *
   * Concurrent calls with the same new grant save the grant once, and the rows of every call. This method need not be
   * atomic: if it fails midway, the grant may be saved without its rows. But a row must never be found without its
   * grant.
   * @param grant the grant to save. If `undefined`, the rows belong to a grant that was saved before.
   * @param rows The rows to save. If empty, only the grant is saved.
   */
  save(grant: GrantRow | undefined, rows: readonly Row[]): Awaitable<void>;
  /**
   * Marks a row as used and saves the rows that replace it, in one step: both or neither, even if the process stops in
   * between. Also extends the grant, as `save()` does. The expiry of the row is not checked.
   * @param consumed the key of the row to mark as used, and optionally its new data
   * @param grant the grant of the new rows, which was saved before
   * @param rows the rows to save, at least one
   * @returns `true` for exactly one of all concurrent calls of this method and `consume()` for the same row. Also
   * `true` if the grant was revoked, but then `find()` never returns the new rows. `false` if the row does not exist or
   * is already used: then nothing is saved.
   */
  consumeAndSave(consumed: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Awaitable<boolean>;
  /**
   * Finds a row by its exact key. Each caller gets an object of its own, which later changes must not alter.
   *
   * A used row is returned too, with `revokedAt`, at least until it expires. An expired row may be returned or not. A
   * row is never returned if its grant does not exist or was revoked: by `revokeGrants()`, by `saveClient()` or
   * `removeClient()` of its client, or if `isRevokedBefore()` is `true` for it. When one of these calls is fulfilled,
   * no process finds the row any more. `revokeBefore()` may take effect up to a second later.
   */
  find(kind: RowKind, digest: string): Awaitable<StoredRow | undefined>;
  /**
   * Marks a row as used. `find()` still returns it, with `revokedAt`. The expiry and the grant of the row are not
   * checked.
   * @returns `true` for exactly one of all concurrent calls of this method and `consumeAndSave()` for the same row.
   * `false` if the row does not exist or is already used.
   */
  consume(kind: RowKind, digest: string): Awaitable<boolean>;
  /**
   * Changes a row by compare-and-set. If the row is unused and its stored `data` equals `from.data`, it gets `grantId`,
   * `userId`, `scope` and `data` of `to`, and a new expiry if `to.lifetime` is set. Otherwise nothing is changed.
   * @param from the row as `find()` returned it
   * @param to The new row, with the key of `from`. Its grant may be another one of the same client.
   * @returns Whether the row was changed. `true` for exactly one of several concurrent calls with the same `from`.
   * Calls whose `to` is identical too may all return `true`.
   */
  update(from: Row, to: Row): Awaitable<boolean>;
  /**
   * Inserts a row of a grant for which `hasGrant()` is `true`. A row with the same key is replaced if it has expired, or
   * if `hasGrant()` is `false` for its grant.
   * @returns `true` for exactly one of all concurrent calls with the same key. `false` if the key is taken, also by
   * another grant, or if the grant of the row is not active. Then nothing is changed.
   */
  insertRow(row: Row): Awaitable<boolean>;
  /**
   * Removes a row by compare-and-set. If the row is unused, belongs to the grant of `row`, and its stored `data` equals
   * that of `row`, it is deleted, and its key is free. Otherwise nothing is changed.
   * @returns `true` for exactly one of all concurrent calls of this method with the same row
   */
  removeRow(row: Row): Awaitable<boolean>;
  /**
   * Returns the rows of a grant that `insertRow()` has inserted, have one of the kinds, are unused and have not expired.
   * Empty if `find()` would not return them because of their grant. Their order is undefined. Rows that another method
   * has saved may be returned or omitted.
   */
  listRows(grantId: string, kinds: RowKinds): Awaitable<StoredRow[]>;
  /**
   * Erases grants that match a filter, active or revoked, with all their rows. Nothing of them stays stored, and none of
   * their rows is ever found again. A later grant with the same ID is a new one. Not atomic as a whole: if it fails, call
   * it again. A database that deletes expired records itself may keep rows that `save()` has saved until they expire. It may also
   * keep grants that were revoked before, unless the filter has `grantId`.
   * @param filter `kinds`, and `grantId` or `userId`
   * @param limit maximum number of grants to erase
   * @returns The number of erased grants. `0` if no grant matches.
   */
  eraseGrants(filter: GrantFilter, limit: number): Awaitable<number>;
  /**
   * Remembers a single-use value for a number of seconds, by the clock of the database.
   * @returns `true` for exactly one of all concurrent calls with the same digest, `false` for later ones. After the
   * seconds have passed, the next call returns `true` again.
   * @throws If the value cannot be remembered for that long. It must never be forgotten early, since it could be
   * replayed.
   */
  once(digest: string, seconds: number): Awaitable<boolean>;
  /**
   * Adds to a counter. The first addition opens a window, which ends `seconds` later by the clock of the database. Later
   * additions do not extend it. After its end, the next addition opens a new one. Each concurrent call returns another
   * count. A single-use value or row with the same digest is another record.
   * @param by A positive integer is added. A negative one is subtracted while a window is open, and the count never
   * falls below 0. `0` only reads. If omitted, 1.
   * @returns the count and the milliseconds until the window ends, both `0` if no window is open
   */
  count(digest: string, seconds: number, by?: number): Awaitable<Count>;
  /** Returns the text that is stored under a name, or `undefined` if nothing is stored. Texts never expire. */
  readText(name: string): Awaitable<string | undefined>;
  /**
   * Replaces a text by compare-and-set. If the text under this name still equals `old`, `text` is stored. Otherwise
   * nothing is changed.
   * @param name a name of at most 43 characters
   * @param old the text as `readText()` returned it. If `undefined`, no text may be stored under this name.
   * @returns Whether `text` was stored. `true` for exactly one of several concurrent calls with the same `old`. Calls
   * whose `text` is identical too may all return `true`.
   */
  replaceText(name: string, old: string | undefined, text: string): Awaitable<boolean>;
  /**
   * Revokes the grants that match a filter, with all rows that belong to them or are saved for them later. A revoked
   * grant never becomes active again.
   *
   * All grants of a user are revoked in one step, and so is one grant. Grants of a client may be revoked in pages,
   * unless the filter has only `clientId` and `isWholeClient(kinds)` is `true`. Then all grants of the client are revoked
   * in one step, also those that other calls save at the same moment, and the call is fast however many there are.
   * @param filter `kinds`, and at least one of `grantId`, `userId` and `clientId`
   * @returns The number of grants that were active before. A storage may stop counting at a large number.
   */
  revokeGrants(filter: GrantFilter): Awaitable<number>;
  /**
   * Returns whether a grant is stored and was not revoked by `revokeGrants()` or with its client. Its expiry and
   * `revokeBefore()` do not matter.
   */
  hasGrant(id: string): Awaitable<boolean>;
  /**
   * Returns the grants of a user that have one of the kinds, are active, have not expired and have a `lastUsedAt`. The
   * most recently used grant comes first. An implementation passes the result through `withoutRevokedBefore()`, which
   * omits grants that `revokeBefore()` has revoked. The call is fast however many grants of other kinds the user has.
   */
  listGrants(userId: string, kinds: GrantKinds): Awaitable<GrantRow[]>;
  /**
   * Returns a page of the active, unexpired grants that match a filter, in a stable order. A grant that is extended
   * between two calls may appear on two pages, but no grant is omitted. An implementation passes the grants through
   * `withoutRevokedBefore()`, which may remove all of them. Then the page is empty, but still has a `next`.
   * @param filter `kinds`, and at least one of `grantId`, `userId` and `clientId`
   * @param after The cursor of the last grant that was read, or the `next` of the previous page. If `undefined`, the
   * first page.
   * @param limit maximum number of grants to read
   */
  pageGrants(filter: GrantFilter, after: string | undefined, limit: number): Awaitable<GrantPage>;
  /**
   * Deletes expired rows, grants, single-use values and counters, but no texts. Grants must be kept for a minute after their
   * expiry, so that requests in progress still find out that a grant was revoked. May also forget removed clients: see
   * `removeClient()`. Not atomic as a whole.
   * @param batchSize maximum number of records to delete with one statement
   * @param signal After it is aborted, no further statement should begin. A storage that deletes all records at once
   * may ignore it.
   * @returns The number of deleted records. A database that deletes expired records itself returns 0.
   */
  prune(batchSize: number, signal?: AbortSignal): Awaitable<number>;
}

/** A page of grants. `next` is the cursor to pass as `after` for the next page. If omitted, this is the last page. */
export interface GrantPage {
  next?: string;
  grants: { grant: GrantRow; cursor: string }[];
}
