import { InvalidArgumentError } from '../errors/index.js';
import type {
  ClientChange,
  ClientList,
  ClientsModel,
  CreateClientOptions,
  ListClientsOptions,
  ManagedClient,
  RotatedSecret,
  RotateOptions,
  SecretOptions,
} from '../model/clients.js';
import { tellEnded } from '../tokens/ended.js';
import { hashedSecret, newClientSecret } from './client-secret.js';
import { KeptClients } from './kept-clients.js';
import { keptSecrets, rotated, secretHash, withNewestSecret } from './kept-secrets.js';
import { changedClient, isListed, managedClient, newClient, readListing } from './managed-client.js';
import type { Clients, StoredClient, Users } from './ports.js';
import type { SecretCheckOptions } from './secret-check.js';
import type { ClientPage, ClientStorage, Storage } from './storage.js';
import { Store } from './store.js';
import { verifyClient, verifySeconds, verifySecret } from './verify-client.js';

/** Seconds for which a secret is good beside the one that replaces it; how many clients are looked at in one go. */
const [OVERLAP, BATCH] = [86_400, 500];

/** A store that can keep the clients too; a host that has them somewhere already brings its `clients` port instead. */
export class ClientStore<S extends Storage & ClientStorage> extends Store<S> implements ClientsModel<StoredClient> {
  protected readonly own: KeptClients | undefined;

  constructor(storage: S, users: Users, clients?: Clients, options?: SecretCheckOptions) {
    const own = clients ? undefined : new KeptClients(storage);
    super(storage, clients ?? own!, users, options);
    this.own = own;
  }

  /**
   * Keeps a client, new or changed as a whole. Secrets it has already stay, unless `secret` or `secretHashes` replaces them;
   * one that is retired stays so, and one that has registered itself manages that as before.
   * @throws InvalidArgumentError for a client that could not be served
   */
  async saveClient(client: StoredClient, options: SecretOptions = {}): Promise<void> {
    const { to, hasSecrets } = await this.prepared(client, options);
    await this.kept().put(client.id, (found) => {
      if (!found) return { to };
      const { secret, secretHashes, retiredAt, registration } = found.client;
      return { to: { registration, ...to, retiredAt, ...(!hasSecrets && { secret, secretHashes }) } };
    });
  }

  /** @throws InvalidArgumentError for a client that could not be served */
  async createClient(client: StoredClient, options: CreateClientOptions = {}): Promise<boolean> {
    const { to } = await this.prepared(client, options);
    return this.kept().put(client.id, (found) => (found ? undefined : { to }));
  }

  /** @throws InvalidArgumentError for what could not be served; secrets are given by `rotateClientSecret` */
  async changeClient(
    clientId: string,
    changes: ClientChange<StoredClient>,
  ): Promise<ManagedClient<StoredClient> | undefined> {
    let changed: ManagedClient<StoredClient> | undefined;
    await this.kept().change(clientId, (found) => {
      const to = changedClient(found.client, typeof changes === 'function' ? changes(managedClient(found)) : changes);
      verifyClient(to);
      changed = managedClient({ ...found, client: to });
      return { to };
    });
    return changed;
  }

  async findClient(clientId: string): Promise<ManagedClient<StoredClient> | undefined> {
    this.kept();
    const found = await this.storage.findClient(clientId);
    return found && managedClient(found);
  }

  async listClients(options: ListClientsOptions = {}): Promise<ClientList<StoredClient>> {
    this.kept();
    const { limit, after, ...filter } = readListing(options);
    const listed: ManagedClient<StoredClient>[] = [];
    let next: string | undefined = after;
    while (next !== undefined) {
      const page: ClientPage = await this.storage.listClients(next, BATCH);
      const clients = page.clients.map(managedClient).filter((client) => isListed(client, filter));
      const room = limit - listed.length;
      listed.push(...clients.slice(0, room));
      if (clients.length >= room) return { clients: listed, next: clients[room - 1]!.id };
      ({ next } = page);
    }
    return { clients: listed };
  }

  /**
   * Gives a client another secret, and to those before it a time until which they are good too, by the clock of the database.
   * @throws InvalidArgumentError for a secret that no request can bring, or times that are none
   */
  async rotateClientSecret(
    clientId: string,
    { overlap = OVERLAP, secret: given, secretLifetime }: RotateOptions = {},
  ): Promise<RotatedSecret | undefined> {
    const kept = this.kept();
    const { sealing } = this.secrets;
    if (given !== undefined) verifySecret(given);
    verifySeconds({ overlap, secretLifetime });
    const { secret, secretHash: hash } = given === undefined ? newClientSecret() : await hashedSecret(given);
    let made: RotatedSecret | undefined;
    await kept.change(clientId, async ({ client, now }) => {
      const newest = secretHash(sealing.sealed(secret, client) ?? hash, now, secretLifetime);
      made = newest.expiresAt === undefined ? { secret } : { secret, expiresAt: new Date(newest.expiresAt) };
      return { to: await rotated(client, newest, { overlap, sealing }) };
    });
    return made;
  }

  /** Ends all secrets of a client but the newest. */
  async retireClientSecrets(clientId: string): Promise<void> {
    const isKnown = await this.kept().change(clientId, ({ client, now }) => ({ to: withNewestSecret(client, now) }));
    if (!isKnown) throw new InvalidArgumentError('Invalid argument: there is no such client');
  }

  async retireClient(clientId: string): Promise<boolean> {
    const isKnown = await this.kept().change(clientId, ({ client, now }) => ({
      to: { ...client, retiredAt: client.retiredAt ?? now },
      endsGrants: true,
    }));
    tellEnded({ clientId });
    return isKnown;
  }

  async restoreClient(clientId: string): Promise<boolean> {
    return this.kept().change(clientId, ({ client: { retiredAt, ...to } }) => ({
      to,
      endsGrants: (retiredAt ?? undefined) !== undefined,
    }));
  }

  async removeClient(clientId: string): Promise<boolean> {
    this.kept();
    const removed = await this.storage.removeClient(clientId);
    await this.revokeGrantsOf({ clientId });
    return removed;
  }

  /** Returns a client as it is stored, with its secrets hashed. @throws InvalidArgumentError for a client that could not be served */
  protected async prepared(client: StoredClient, options: CreateClientOptions) {
    this.kept();
    verifyClient(client);
    verifySeconds(options);
    const hasSecrets = Boolean(client.secret ?? client.secretHashes);
    const to = newClient(client);
    const how = { ...options, sealing: this.secrets.sealing };
    if (hasSecrets) to.secretHashes = await keptSecrets(client, await this.storage.readClock(), how);
    return { to, hasSecrets };
  }

  protected kept(): KeptClients {
    if (!this.own) throw new InvalidArgumentError('Invalid argument: the clients are kept by the host');
    return this.own;
  }
}
