import type { Awaitable } from '../../model/model.js';
import type { StoredClient } from './ports.js';

/** A client as a storage returns it, with the time and version of reading. */
export interface ClientRecord {
  /** The client with the hashes of its secrets. It may be disabled. */
  client: StoredClient;
  createdAt: number;
  /** The time at which the client was read, by the clock of the database, in milliseconds since the epoch. */
  readAt: number;
  /**
   * The version of the client, which the storage itself defines. `saveClient()` compares it with the stored version.
   */
  version: unknown;
}

/** A page of clients, in the order of the bytes of their IDs in UTF-8. */
export interface ClientPage {
  clients: ClientRecord[];
  /** The ID to pass as `after` for the next page. If omitted, this is the last page. */
  next?: string;
}

/**
 * The operations of a database for the clients of a store. The rules of `Storage` apply, and each method is atomic. If
 * the application stores its clients itself, the store calls only `readClock()`.
 */
export interface ClientStorage {
  /**
   * Returns a client, also if it is disabled, or `undefined` if no client has this ID. The ID must match exactly, byte
   * by byte.
   */
  findClient(id: string): Awaitable<ClientRecord | undefined>;
  /**
   * Saves a client by compare-and-set: only if the stored client has not changed since `previous` was read. If the ID
   * belonged to a removed client, the new client must not get the grants of that client.
   * @param client the new client with the hashes of its secrets
   * @param previous The result of `findClient()`. If `undefined`, the client is saved only if no client with this ID
   * exists.
   * @param revokesGrants whether to revoke all grants of the client in the same step
   * @returns Whether the client was saved. `true` for exactly one of several concurrent calls with the same `previous`.
   */
  saveClient(client: StoredClient, previous: ClientRecord | undefined, revokesGrants: boolean): Awaitable<boolean>;
  /**
   * Adds a client, unless a client with this ID exists or was removed within the last day. Grants that were saved for
   * this ID before stay active.
   * @returns Whether the client was added. `true` for exactly one of several concurrent calls with the same ID.
   */
  addNewClient(client: StoredClient): Awaitable<boolean>;
  /**
   * Removes a client and revokes all grants that were saved for this ID, in one step. The grants are revoked and the ID
   * is remembered even if the client does not exist, so that `addNewClient()` rejects it. `prune()` may forget the ID a
   * day later, if no grant of this ID is stored any more.
   * @returns whether the client existed
   */
  removeClient(id: string): Awaitable<boolean>;
  /**
   * Returns a page of the clients, disabled ones included, in the order of the bytes of their IDs in UTF-8.
   * @param after Only clients with IDs after this one are returned. An empty string starts with the first client.
   * @param limit maximum number of clients to read
   */
  listClients(after: string, limit: number): Awaitable<ClientPage>;
  /** Returns the current time of the database, in milliseconds since the epoch. */
  readClock(): Awaitable<number>;
}
