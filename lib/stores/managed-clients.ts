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
import { notifyTokensRevoked } from '../tokens/revoked-tokens.js';
import { secretWithHash, newClientSecret } from './client-secret.js';
import { withRotatedSecret, secretHash, withNewestSecret } from './stored-secrets.js';
import { changedClient, matchesListOptions, managedClient, parseListOptions } from './managed-client.js';
import type { StoredClient } from './ports.js';
import { prepareClient } from './prepare-client.js';
import type { StoreContext } from './store-context.js';
import type { ClientPage } from './storage.js';
import { verifyClient, verifySecret, verifySeconds } from './verify-client.js';
import type { UnusedClients } from './unused-clients.js';

/** Seconds for which a replaced secret stays valid. */
const OVERLAP = 86_400;
/** Number of clients that are read at a time. */
const BATCH = 500;

/** The part of a store with which an application administers the clients that the store keeps. */
export class ManagedClients implements ClientsModel<StoredClient> {
  constructor(
    private readonly context: Pick<StoreContext, 'storage' | 'secrets' | 'overridable' | 'ownClients'>,
    private readonly waiting: UnusedClients,
  ) {}

  /**
   * Saves a client, new or changed as a whole. Its secrets stay, unless `secret` or `secretHashes` replaces them. A
   * disabled client stays disabled, and a registered client keeps the token that manages it.
   * @throws {InvalidArgumentError} If the client is invalid.
   */
  async saveClient(client: StoredClient, options: SecretOptions = {}): Promise<void> {
    const { to, hasSecrets } = await prepareClient(this.context, client, options);
    await this.context.ownClients().createOrChange(client.id, (found) => {
      if (!found) return { client: to };
      const { secret, secretHashes, retiredAt, registration } = found.client;
      return { client: { registration, ...to, retiredAt, ...(!hasSecrets && { secret, secretHashes }) } };
    });
  }

  /**
   * Saves a new client. Returns `false` if there is a client with this id.
   * @throws {InvalidArgumentError} If the client is invalid.
   */
  async createClient(client: StoredClient, options: CreateClientOptions = {}): Promise<boolean> {
    const { to } = await prepareClient(this.context, client, options);
    return this.context.ownClients().createOrChange(client.id, (found) => (found ? undefined : { client: to }));
  }

  /**
   * Changes some fields of a client. Returns the changed client, or `undefined` if it does not exist.
   * @throws {InvalidArgumentError} If the changed client is invalid, or a secret is changed.
   */
  async changeClient(
    clientId: string,
    changes: ClientChange<StoredClient>,
  ): Promise<ManagedClient<StoredClient> | undefined> {
    let changed: ManagedClient<StoredClient> | undefined;
    await this.context.ownClients().change(clientId, (found) => {
      const to = changedClient(found.client, typeof changes === 'function' ? changes(managedClient(found)) : changes);
      verifyClient(to);
      changed = managedClient({ ...found, client: to });
      return { client: to };
    });
    return changed;
  }

  /** Finds a client, disabled or not, without its secrets. */
  async findClient(clientId: string): Promise<ManagedClient<StoredClient> | undefined> {
    this.context.ownClients();
    const found = await this.context.storage.findClient(clientId);
    return found && managedClient(found);
  }

  /** Lists clients by their ids, page by page. */
  async listClients(options: ListClientsOptions = {}): Promise<ClientList<StoredClient>> {
    this.context.ownClients();
    const { limit, after, ...filter } = parseListOptions(options);
    const listed: ManagedClient<StoredClient>[] = [];
    let next: string | undefined = after;
    while (next !== undefined) {
      const page: ClientPage = await this.context.storage.listClients(next, BATCH);
      const clients = page.clients.map(managedClient).filter((client) => matchesListOptions(client, filter));
      const room = limit - listed.length;
      listed.push(...clients.slice(0, room));
      if (clients.length >= room) return { clients: listed, next: clients[room - 1]!.id };
      ({ next } = page);
    }
    return { clients: listed };
  }

  /**
   * Gives a client a new secret. Its other secrets expire after `overlap` seconds, by the clock of the database.
   * @throws {InvalidArgumentError} If the secret or a time is invalid.
   */
  async rotateClientSecret(
    clientId: string,
    { overlap = OVERLAP, secret: given, secretLifetime }: RotateOptions = {},
  ): Promise<RotatedSecret | undefined> {
    const clients = this.context.ownClients();
    const { encryption: sealing } = this.context.secrets;
    if (given !== undefined) verifySecret(given);
    verifySeconds({ overlap, secretLifetime });
    const { secret, secretHash: hash } = given === undefined ? newClientSecret() : await secretWithHash(given);
    let made: RotatedSecret | undefined;
    await clients.change(clientId, async ({ client, readAt: now }) => {
      const newest = secretHash(sealing.encrypt(secret, client) ?? hash, now, secretLifetime);
      made = newest.expiresAt === undefined ? { secret } : { secret, expiresAt: new Date(newest.expiresAt) };
      return { client: await withRotatedSecret(client, newest, { overlap, sealing }) };
    });
    return made;
  }

  /**
   * Ends all secrets of a client but the newest.
   * @throws {InvalidArgumentError} If the client does not exist.
   */
  async revokeOldClientSecrets(clientId: string): Promise<void> {
    const isKnown = await this.context
      .ownClients()
      .change(clientId, ({ client, readAt: now }) => ({ client: withNewestSecret(client, now) }));
    if (!isKnown) throw new InvalidArgumentError('Invalid argument: there is no such client');
  }

  /** Disables a client and ends its grants. A registered client that waits for its first use is promoted before. */
  async disableClient(clientId: string): Promise<boolean> {
    await this.waiting.promote(clientId);
    const isKnown = await this.context.ownClients().change(clientId, ({ client, readAt: now }) => ({
      client: { ...client, retiredAt: client.retiredAt ?? now },
      endsGrants: true,
    }));
    notifyTokensRevoked({ clientId });
    return isKnown;
  }

  /** Enables a disabled client again. Its earlier codes and tokens stay ended. */
  async enableClient(clientId: string): Promise<boolean> {
    return this.context.ownClients().change(clientId, ({ client: { retiredAt, ...to } }) => ({
      client: to,
      endsGrants: (retiredAt ?? undefined) !== undefined,
    }));
  }

  /** Removes a client and ends its grants. Returns whether it existed. */
  async removeClient(clientId: string): Promise<boolean> {
    const wasWaiting = await this.waiting.remove(clientId);
    this.context.ownClients();
    const isRemoved = await this.context.storage.removeClient(clientId);
    await this.context.overridable.revokeGrantsOf({ clientId });
    return isRemoved || wasWaiting;
  }
}
