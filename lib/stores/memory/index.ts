import { randomUUID } from 'node:crypto';

import type { Clients, StoredClient, Users } from '../ports.js';
import { Store } from '../store.js';
import { MemoryStorage } from './memory-storage.js';

export { hashSecret } from '../client-secret.js';
export type { Clients, StoredClient, Users } from '../ports.js';

export interface MemoryStoreOptions {
  /** The clients themselves, or where they are found. */
  clients: readonly StoredClient[] | Clients;
  users: Users;
  /** How many codes, access tokens, refresh tokens and grants are kept, of each; the oldest go first. Default: 100 000 */
  limit?: number;
}

/** A model that keeps everything in the memory of this process: for tests and demonstrations. */
export class MemoryStore extends Store<MemoryStorage> {
  constructor({ clients, users, limit = 100_000 }: MemoryStoreOptions) {
    const storage = new MemoryStorage(limit);
    if ('findById' in clients) {
      super(storage, clients, users);
    } else {
      const byId = new Map(clients.map((client) => [client.id, client]));
      const isPlain = clients.every(({ secretHashes }) => !secretHashes);
      super(storage, { findById: (id) => byId.get(id) }, users, isPlain ? { secret: randomUUID() } : undefined);
    }
  }
}
