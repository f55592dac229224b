import { InvalidArgumentError } from '../../errors/index.js';
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
} from '../../model/clients.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';
import { secretWithHash, newClientSecret } from './client-secret.js';
import { withRotatedSecret, secretHash, withNewestSecret } from './stored-secrets.js';
import { changedClient, matchesListOptions, managedClient, parseListOptions } from './managed-client.js';
import type { StoredClient } from '../contract/ports.js';
import { prepareClient } from './prepare-client.js';
import type { StoreContext } from './store-context.js';
import type { ClientPage } from '../contract/client-storage.js';
import { rejectClientMistake } from './client-mistakes.js';
import { verifyClient, verifySecret, verifySeconds } from './verify-client.js';
import type { UnusedClients } from './unused-clients.js';

/** Default number of seconds for which the old secrets stay valid after a rotation. */
const OVERLAP = 86_400;
/** Number of clients that `listClients()` reads from the database at a time. */
const BATCH = 500;

/** The part of a store that administers the clients in its storage. */
export class ManagedClients implements ClientsModel<StoredClient> {
  constructor(
    private readonly context: Pick<StoreContext, 'storage' | 'secrets' | 'overridable' | 'requireStoredClients'>,
    private readonly unusedClients: UnusedClients,
  ) {}

  /**
   * Creates a client, or replaces all fields of a client with this ID. Its secrets stay, unless `secret` or
   * `secretHashes` is set. A disabled client stays disabled, and a registered client keeps its registration access
   * token.
   * @throws {InvalidArgumentError} If the client is invalid, or the application stores the clients.
   */
  async saveClient(client: StoredClient, options: SecretOptions = {}): Promise<void> {
    rejectClientMistake(client);
    const { to, hasSecrets } = await prepareClient(this.context, client, options);
    await this.context.requireStoredClients().createOrChange(client.id, (record) => {
      if (!record) return { client: to };
      const { secret, secretHashes, disabledAt, registration } = record.client;
      return { client: { registration, ...to, disabledAt, ...(!hasSecrets && { secret, secretHashes }) } };
    });
  }

  /**
   * Saves a new client. Returns `false`, and saves nothing, if a client with this ID exists.
   * @throws {InvalidArgumentError} If the client is invalid, or the application stores the clients.
   */
  async createClient(client: StoredClient, options: CreateClientOptions = {}): Promise<boolean> {
    rejectClientMistake(client);
    const { to } = await prepareClient(this.context, client, options);
    return this.context
      .requireStoredClients()
      .createOrChange(client.id, (record) => (record ? undefined : { client: to }));
  }

  /**
   * Changes some fields of a client. Returns the changed client, or `undefined` if no client with this ID exists.
   * @throws {InvalidArgumentError} If the changed client is invalid, the changes contain a secret, or the application
   * stores the clients.
   */
  async changeClient(
    clientId: string,
    changes: ClientChange<StoredClient>,
  ): Promise<ManagedClient<StoredClient> | undefined> {
    let changed: ManagedClient<StoredClient> | undefined;
    await this.context.requireStoredClients().change(clientId, (record) => {
      const to = changedClient(record.client, typeof changes === 'function' ? changes(managedClient(record)) : changes);
      verifyClient(to);
      changed = managedClient({ ...record, client: to });
      return { client: to };
    });
    return changed;
  }

  /**
   * Returns a client without its secrets, also if it is disabled. Returns `undefined` if no client with this ID exists.
   */
  async findClient(clientId: string): Promise<ManagedClient<StoredClient> | undefined> {
    this.context.requireStoredClients();
    const record = await this.context.storage.findClient(clientId);
    return record && managedClient(record);
  }

  /** Returns a page of the clients that match the options, in the order of their IDs. */
  async listClients(options: ListClientsOptions = {}): Promise<ClientList<StoredClient>> {
    this.context.requireStoredClients();
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
   * Adds a new secret to a client. Its other secrets expire after `overlap` seconds by the clock of the database, or
   * earlier if they already have an earlier expiry.
   * @returns the new secret, or `undefined` if no client with this ID exists
   * @throws {InvalidArgumentError} If the secret, `overlap` or `secretLifetime` is invalid.
   */
  async rotateClientSecret(
    clientId: string,
    { overlap = OVERLAP, secret: chosenSecret, secretLifetime }: RotateOptions = {},
  ): Promise<RotatedSecret | undefined> {
    const clients = this.context.requireStoredClients();
    const { encryption } = this.context.secrets;
    if (chosenSecret !== undefined) verifySecret(chosenSecret);
    verifySeconds({ overlap, secretLifetime });
    const { secret, secretHash: hash } =
      chosenSecret === undefined ? newClientSecret() : await secretWithHash(chosenSecret);
    let made: RotatedSecret | undefined;
    await clients.change(clientId, async ({ client, readAt: now }) => {
      const newest = secretHash(encryption.encrypt(secret, client) ?? hash, now, secretLifetime);
      made = newest.expiresAt === undefined ? { secret } : { secret, expiresAt: new Date(newest.expiresAt) };
      return { client: await withRotatedSecret(client, newest, { overlap, encryption }) };
    });
    return made;
  }

  /**
   * Removes all secrets of a client except the newest.
   * @throws {InvalidArgumentError} If the client does not exist.
   */
  async revokeOldClientSecrets(clientId: string): Promise<void> {
    const isKnown = await this.context
      .requireStoredClients()
      .change(clientId, ({ client, readAt: now }) => ({ client: withNewestSecret(client, now) }));
    if (!isKnown) throw new InvalidArgumentError('Invalid argument: the client does not exist');
  }

  /** Disables a client and revokes its grants. Returns whether a client with this ID exists. */
  async disableClient(clientId: string): Promise<boolean> {
    await this.unusedClients.promote(clientId);
    const isKnown = await this.context.requireStoredClients().change(clientId, ({ client, readAt: now }) => ({
      client: { ...client, disabledAt: client.disabledAt ?? now },
      revokesGrants: true,
    }));
    notifyTokensRevoked({ clientId });
    return isKnown;
  }

  /**
   * Enables a disabled client again. Codes and tokens from before it was disabled stay revoked. Returns whether a
   * client with this ID exists.
   */
  async enableClient(clientId: string): Promise<boolean> {
    return this.context.requireStoredClients().change(clientId, ({ client: { disabledAt, ...to } }) => ({
      client: to,
      revokesGrants: (disabledAt ?? undefined) !== undefined,
    }));
  }

  /** Removes a client and revokes its grants. Returns whether the client existed. */
  async removeClient(clientId: string): Promise<boolean> {
    const wasWaiting = await this.unusedClients.remove(clientId);
    this.context.requireStoredClients();
    const isRemoved = await this.context.storage.removeClient(clientId);
    await this.context.overridable.revokeGrantsOf({ clientId });
    return isRemoved || wasWaiting;
  }
}
