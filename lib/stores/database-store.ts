import { InvalidArgumentError } from '../errors.js';
import { hashSecret, newClientSecret } from './client-secret.js';
import type { Clients, StoredClient, Users } from './ports.js';
import type { SecretCheckOptions } from './secret-check.js';
import type { ClientStorage, Storage } from './storage.js';
import { Store } from './store.js';
import { verifyClient, verifySecret } from './verify-client.js';

/** How many secrets of a client work at a time: the newest, and the one it replaces. */
const SECRETS = 2;
const ATTEMPTS = 20;

/** A store that can keep the clients too; a host that has them somewhere already brings its `clients` port instead. */
export class DatabaseStore<S extends Storage & ClientStorage> extends Store<S> {
  private readonly keepsClients: boolean;

  constructor(storage: S, users: Users, clients?: Clients, options?: SecretCheckOptions) {
    super(storage, clients ?? new KeptClients(storage), users, options);
    this.keepsClients = !clients;
  }

  /**
   * Keeps a client, new or changed. Secrets it has already stay, unless a `secret` or `secretHashes` replaces them.
   * @throws InvalidArgumentError for a client that could not be served
   */
  async saveClient(client: StoredClient): Promise<void> {
    const kept = this.kept();
    verifyClient(client);
    const { secret, ...rest } = client;
    await kept.saveClient(secret ? { ...rest, secretHashes: [await hashSecret(secret)] } : rest);
  }

  /**
   * Gives a client another secret; the one before it works on, until the next is added or `retireClientSecrets`.
   * @param given a secret that somebody chose; left out: one of 256 random bits, which costs less to check
   * @returns the secret, which is not kept anywhere
   */
  async addClientSecret(clientId: string, given?: string): Promise<string> {
    const kept = this.kept();
    if (given !== undefined) verifySecret(given);
    const { secret, secretHash } = given === undefined ? newClientSecret() : await chosen(given);
    await changeSecrets(kept, clientId, (hashes) => [secretHash, ...hashes].slice(0, SECRETS));
    return secret;
  }

  /** Ends all secrets of a client but the newest. */
  async retireClientSecrets(clientId: string): Promise<void> {
    await changeSecrets(this.kept(), clientId, (hashes) => hashes.slice(0, 1));
  }

  /** Forgets a client and ends all its grants. @returns whether there was such a client */
  async removeClient(clientId: string): Promise<boolean> {
    const removed = await this.kept().removeClient(clientId);
    await this.revokeGrantsOf({ clientId });
    return removed;
  }

  private kept(): ClientStorage {
    if (!this.keepsClients) throw new InvalidArgumentError('Invalid argument: the clients are kept by the host');
    return this.storage;
  }
}

const chosen = async (secret: string) => ({ secret, secretHash: await hashSecret(secret) });

class KeptClients implements Clients {
  constructor(private readonly storage: ClientStorage) {}

  findById(id: string) {
    return this.storage.findClient(id);
  }

  replaceSecretHash(id: string, old: string, replacement: string) {
    return changeSecrets(this.storage, id, (hashes) => hashes.map((hash) => (hash === old ? replacement : hash)));
  }
}

async function changeSecrets(storage: ClientStorage, id: string, change: (hashes: readonly string[]) => string[]) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const client = await storage.findClient(id);
    if (!client) throw new InvalidArgumentError('Invalid argument: there is no such client');
    const hashes = client.secretHashes ?? [];
    if (await storage.replaceSecretHashes(id, hashes, change(hashes))) return;
  }
  throw new Error('The secrets of the client change faster than they can be replaced');
}
