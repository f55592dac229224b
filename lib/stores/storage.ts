import type { Awaitable } from '../model/model.js';
import type { StoredClient } from './ports.js';

/** What one authorization established, and all that came of it hangs on. Times are milliseconds since the epoch. */
export interface GrantRow {
  id: string;
  clientId: string;
  /** null: the client acts for itself. */
  userId: string | null;
  /** Who gave it out; null: the host has named nobody. */
  issuer: string | null;
  scope: string | null;
  /** Whatever else is kept with it, as JSON. */
  data: string | null;
  createdAt: number;
  /** When tokens were last issued on it; null: never yet. */
  lastUsedAt: number | null;
  /** When the last thing that hangs on it expires. */
  expiresAt: number;
}

/** What hangs on a grant: open for more. */
export type Kind =
  'code' | 'access' | 'refresh' | 'request' | 'session' | 'consent' | 'registration' | 'device' | 'user_code';

/** What a row is found by. */
export interface Key {
  kind: Kind;
  /** SHA-256 of the code or token, which itself is kept nowhere. */
  digest: string;
}

/** What is to be spent. */
export interface Spending extends Key {
  /** What is kept with it from then on; left out: what was kept before. */
  data?: string;
}

/** A code or token. */
export interface Row extends Key {
  grantId: string;
  clientId: string;
  userId: string | null;
  issuer: string | null;
  scope: string | null;
  /** Whatever else is kept with it, as JSON. */
  data: string | null;
  expiresAt: number;
  /** If set, the row expires after this many milliseconds by the clock of the database, whatever `expiresAt` is. */
  lifetime?: number;
}

/** A row as it is found. */
export type Found<R extends Row = Row> = R & {
  /** When it was spent; null: not yet. */
  revokedAt: number | null;
  /** How many milliseconds ago that was, by the clock of the database. */
  revokedAgo?: number;
  /** Milliseconds until the row expires, by the clock of the database. If omitted, `expiresAt` is exact. */
  expiresIn?: number;
  /** Its client, where that came along; null: the client is gone. Left out: the `clients` port is asked. */
  client?: StoredClient | null;
};

/** Which grants: every field that is given must match. */
export interface GrantFilter {
  grantId?: string;
  userId?: string;
  clientId?: string;
  /** Beside one of the others: on its own it is the key of nothing. */
  issuer?: string;
}

/**
 * The steps a database has to offer, each atomic, however many processes take it at once. How long ago something was
 * spent is judged by the database's clock.
 */
export interface Storage {
  /**
   * Keeps rows and the grant they hang on: a new one, or one that lasts longer from now on. Left out: the grant stays as it
   * is; without rows, the grant alone is kept. Where the grant was revoked, none of the rows is ever found.
   */
  keep(grant: GrantRow | undefined, rows: readonly Row[]): Awaitable<void>;
  /** Spends something and keeps what comes of it, both or neither: true for exactly one caller. */
  consumeAndSave(spent: Spending, grant: GrantRow, rows: readonly Row[]): Awaitable<boolean>;
  /**
   * Finds a row, used ones included, until it expires. Rows whose grant was revoked, or began before the moment that is kept
   * as the text `NOT_BEFORE`, are not found.
   */
  find(kind: Kind, digest: string): Awaitable<Found | undefined>;
  /** Marks something as spent: true for exactly one caller. */
  spend(kind: Kind, digest: string): Awaitable<boolean>;
  /**
   * Changes the grant, user, scope and data of a row, and its expiry if `to.lifetime` is set. Fails if the row was used or its `data`
   * has changed since it was found. Returns true for exactly one of several concurrent callers.
   */
  change(from: Row, to: Row): Awaitable<boolean>;
  /** True for the first caller only, for so many seconds. */
  once(digest: string, seconds: number): Awaitable<boolean>;
  /** What was kept under a name; undefined: nothing yet. */
  readText(name: string): Awaitable<string | undefined>;
  /** Keeps other text under a name, of 43 characters at most, if what is kept still is `old`: true for exactly one caller. */
  replaceText(name: string, old: string | undefined, text: string): Awaitable<boolean>;
  /** Ends grants and all that hangs on them, those of a whole client in one step; the number that were alive. */
  revokeGrants(filter: GrantFilter): Awaitable<number>;
  /** Whether a grant is stored and was not revoked. One look-up by the id. */
  hasGrant(id: string): Awaitable<boolean>;
  /** The grants of a user that are alive by the same rule and have been used, the latest first. */
  listGrants(userId: string): Awaitable<GrantRow[]>;
  /**
   * Grants that match, are alive and not expired, in an order of the store that does not change: so many are looked at.
   * @param after the cursor of the last grant that was read
   */
  pageGrants(filter: GrantFilter, after: string | undefined, limit: number): Awaitable<GrantPage>;
  /** Forgets what has expired, in batches where that matters; the number of rows. */
  prune(batchSize: number): Awaitable<number>;
}

/** Some grants, and whether there may be more after them. */
export interface GrantPage {
  /** `next` is the cursor of the last grant that was looked at. */
  next?: string;
  grants: { grant: GrantRow; cursor: string }[];
}

/** A client as it is found. */
export interface KeptClient {
  /** With its secrets, and retired or not. */
  client: StoredClient;
  createdAt: number;
  /** What time it was there. */
  now: number;
  /** By this it is told whether the client is still as it was. */
  kept: unknown;
}

/** Some clients. */
export interface ClientPage {
  clients: KeptClient[];
  /** After which id there may be more. */
  next?: string;
}

/** Where a store keeps clients of its own; each step is atomic. */
export interface ClientStorage {
  findClient(id: string): Awaitable<KeptClient | undefined>;
  /**
   * Keeps a client, new or changed, if what was `found` of it is still so: true for exactly one caller.
   * @param endsGrants all its grants end with this step
   */
  keepClient(client: StoredClient, found: KeptClient | undefined, endsGrants: boolean): Awaitable<boolean>;
  /** Adds a client unless a client with this id exists or was removed. @returns whether this call added it */
  addNewClient(client: StoredClient): Awaitable<boolean>;
  /** Removes a client and ends its grants. The id is remembered, also without a client: `addNewClient()` refuses it from then on. */
  removeClient(id: string): Awaitable<boolean>;
  /** Clients in the order of their ids, from behind one of them; so many are looked at. */
  listClients(after: string, limit: number): Awaitable<ClientPage>;
  /** What time it is there. */
  readClock(): Awaitable<number>;
}
