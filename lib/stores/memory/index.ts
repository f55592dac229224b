import type { Clients, StoredClient, Users } from '../ports.js';
import type { SecretCheckOptions } from '../secret-check.js';
import { Store } from '../store.js';
import { verifyClient } from '../verify-client.js';
import { MemoryStorage } from './memory-storage.js';

export { hashSecret, newClientSecret } from '../client-secret.js';
export type { Clients, SecretHash, StoredClient, Users } from '../ports.js';

/** The options of `new MemoryStore()`. */
export interface MemoryStoreOptions extends SecretCheckOptions {
  /**
   * The initial clients, or a port to where the application keeps its clients. Default: no clients; `createClient()`, `saveClient()` and
   * registration add some.
   */
  clients?: readonly StoredClient[] | Clients;
  users: Users;
  /**
   * How many codes, access tokens, refresh tokens and grants are kept, of each; the oldest go first. What may happen only once is not
   * forgotten before its time: when there is so much of that, nothing more may happen. Default: 100 000
   */
  limit?: number;
}

/** A model that keeps everything in the memory of this process: for tests and demonstrations. */
export class MemoryStore extends Store<MemoryStorage> {
  constructor({ clients = [], users, limit = 100_000, ...options }: MemoryStoreOptions) {
    const isHosts = 'findById' in clients;
    const own = isHosts ? [] : clients;
    own.forEach(verifyClient);
    super(new MemoryStorage(limit, own), { users, clients: isHosts ? clients : undefined, ...options });
  }
}
