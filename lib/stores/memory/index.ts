import type { Clients, StoredClient, Users } from '../contract/ports.js';
import type { SecretCheckOptions } from '../clients/secret-check.js';
import { Store } from '../store/store.js';
import { verifyUsers } from '../store/verify-users.js';
import { assertConfig } from '../../errors/configuration-error.js';
import { rejectClientMistake } from '../clients/client-mistakes.js';
import { verifyClient } from '../clients/verify-client.js';
import { MemoryStorage } from './memory-storage.js';

export * from '../store/exports-of-stores.js';

/** The options of `new MemoryStore()`. */
export interface MemoryStoreOptions extends SecretCheckOptions {
  /**
   * The initial clients, or an object that finds the clients of the application. Default: no clients. Unless it is such
   * an object, clients can be added with `createClient()`, `saveClient()` and dynamic registration.
   */
  clients?: readonly StoredClient[] | Clients;
  users: Users;
  /**
   * Maximum number of codes, of access tokens, of refresh tokens and of grants. If there are more, the oldest are
   * removed. Single-use values are not removed before they expire: if there are this many, requests that need one fail. If there are as many counters, the
   * lowest counts are removed.
   * Default: `100_000`.
   */
  limit?: number;
}

/** A model that stores everything in the memory of this process, for tests and demonstrations. */
export class MemoryStore extends Store<MemoryStorage> {
  /** Whether all data are lost when the process ends. The start of an application in production warns of it. */
  readonly isVolatile = true;
  /** The clients of the constructor. The start of an application reports those that get no refresh tokens. */
  readonly initialClients: readonly StoredClient[];

  /** @throws {InvalidArgumentError} If a client or an option is invalid, or two clients have the same ID. */
  constructor(options: MemoryStoreOptions) {
    verifyUsers(options?.users);
    const { clients = [], users, limit = 100_000, ...more } = options;
    const hasFinder = 'findById' in clients;
    const own = hasFinder ? [] : clients;
    assertConfig(Array.isArray(own), '`clients` of `MemoryStore` must be a list, or an object with `findById()`');
    own.forEach(verifyClient);
    for (const [at, client] of own.entries()) {
      rejectClientMistake(client);
      const isRepeated = own.findIndex(({ id }) => id === client.id) < at;
      assertConfig(
        !isRepeated,
        `two \`clients\` of \`MemoryStore\` have the \`id\` \`${client.id}\`: remove one of them`,
      );
    }
    super(new MemoryStorage(limit, own), { users, clients: hasFinder ? clients : undefined, ...more });
    this.initialClients = own;
  }
}
