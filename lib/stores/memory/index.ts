import type { Clients, StoredClient, Users } from '../ports.js';
import type { SecretCheckOptions } from '../secret-check.js';
import { Store } from '../store.js';
import { verifyClient } from '../verify-client.js';
import { MemoryStorage } from './memory-storage.js';

export { hashSecret, newClientSecret } from '../client-secret.js';
export type { Clients, StoredClient, Users } from '../ports.js';

/** What `new MemoryStore()` takes. */
export interface MemoryStoreOptions extends SecretCheckOptions {
  /** The clients themselves, or where they are found. */
  clients: readonly StoredClient[] | Clients;
  users: Users;
  /** How many codes, access tokens, refresh tokens and grants are kept, of each; the oldest go first. Default: 100 000 */
  limit?: number;
}

/** A model that keeps everything in the memory of this process: for tests and demonstrations. */
export class MemoryStore extends Store<MemoryStorage> {
  constructor({ clients, users, limit = 100_000, ...options }: MemoryStoreOptions) {
    super(new MemoryStorage(limit), 'findById' in clients ? clients : listed(clients), users, options);
  }
}

function listed(clients: readonly StoredClient[]): Clients {
  clients.forEach(verifyClient);
  const byId = new Map(clients.map((client) => [client.id, client]));
  return { findById: (id) => byId.get(id) };
}
