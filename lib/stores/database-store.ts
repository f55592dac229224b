import { randomBytes } from 'node:crypto';

import { InvalidArgumentError } from '../errors.js';
import { hashSecret } from './client-secret.js';
import type { Clients, StoredClient, Users } from './ports.js';
import type { ClientStorage, Storage } from './storage.js';
import { Store } from './store.js';

/** How many secrets of a client work at a time: the newest, and the one it replaces. */
const SECRETS = 2;
const ATTEMPTS = 20;

/** A store that can keep the clients too; a host that has them somewhere already brings its `clients` port instead. */
export class DatabaseStore<S extends Storage & ClientStorage> extends Store<S> {
  private readonly keepsClients: boolean;

  constructor(storage: S, users: Users, clients?: Clients) {
    super(storage, clients ?? new KeptClients(storage), users);
    this.keepsClients = !clients;
  }

  /** Keeps a client, new or changed. Secrets it has already stay, unless a `secret` or `secretHashes` replaces them. */
  async saveClient(client: StoredClient): Promise<void> {
    const { secret, ...rest } = client;
    await this.kept().saveClient(secret ? { ...rest, secretHashes: [await hashSecret(secret)] } : rest);
  }

  /**
   * Gives a client another secret; the one before it works on, until the next is added or `retireClientSecrets`.
   * @returns the secret, which is not kept anywhere: 256 random bits unless one was given
   */
  async addClientSecret(clientId: string, secret = randomBytes(32).toString('base64url')): Promise<string> {
    const hash = await hashSecret(secret);
    await changeSecrets(this.kept(), clientId, (hashes) => [hash, ...hashes].slice(0, SECRETS));
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
