import type { ConsentRequest, RememberedConsent } from '../../model/consents.js';
import type { GrantSelection, Paging } from '../../model/grants.js';
import type { User } from '../../model/model.js';
import type { SessionList } from '../../model/session-list.js';
import type { GrantFilterInput } from '../contract/grant-filter.js';
import type { StoredClients } from './stored-clients.js';
import type { Clients, StoredClient, Users } from '../contract/ports.js';
import type { SecretCheck } from './secret-check.js';
import type { ClientStorage } from '../contract/client-storage.js';
import type { StoredRow, Storage } from '../contract/storage.js';

/** The objects that all parts of a store share: its storage, the clients and users, and its overridable methods. */
export interface StoreContext {
  readonly storage: Storage & ClientStorage;
  readonly clients: Clients;
  readonly users: Users;
  readonly secrets: SecretCheck;
  readonly overridable: OverridableMethods;
  /**
   * Returns the clients of the storage.
   * @throws {InvalidArgumentError} If the application stores the clients.
   */
  requireStoredClients(): StoredClients;
}

/**
 * The methods of a store that its parts call. An application may override them in a subclass. The parts call no other
 * methods of the store.
 */
export interface OverridableMethods {
  clientOf(row: StoredRow): Promise<StoredClient | undefined>;
  getUserFromClient(client: StoredClient): Promise<User>;
  once(value: string, seconds: number): Promise<boolean>;
  hasConsented(user: User, request: ConsentRequest<StoredClient>): Promise<RememberedConsent>;
  revokeGrantsOf(filter: GrantFilterInput): Promise<number>;
  listSessions(selection: GrantSelection & Paging): Promise<SessionList>;
  endSession(session: { userId: string | number; id: string }): Promise<boolean>;
  createClient(client: StoredClient): Promise<boolean>;
  removeClient(clientId: string): Promise<boolean>;
}
