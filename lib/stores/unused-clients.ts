import { clientItself } from '../tokens/client-subject.js';
import { isRegisteredId } from '../clients/registration/client-id.js';
import type { Registration } from '../features/registration/registration-model.js';
import { digest } from './client-secret.js';
import type { StoredClient } from './ports.js';
import { prepareClient } from './prepare-client.js';
import { changedRegistration } from './registered-client.js';
import { grantRow, rowOf } from './rows.js';
import type { StoreContext } from './store-context.js';
import type { StoredRow } from './storage.js';
import { verifyClient } from './verify-client.js';

/** The client of the grant that a waiting registration belongs to. */
const NO_CLIENT = { id: '', grants: [] };

/**
 * Registered clients that wait for their first use. Each is a row that expires, as a code is. The first code or token
 * that is issued to it moves it to the clients of the store: the row is marked as used, which ends changes of it, and
 * its last content becomes the client. If a process stops between the two steps, the client is still served from the
 * row.
 */
export class UnusedClients {
  constructor(private readonly context: Pick<StoreContext, 'storage' | 'clients' | 'secrets' | 'ownClients'>) {}

  /** Saves a client that expires unless it is used before. */
  async save(client: StoredClient, expiresAt: Date): Promise<void> {
    verifyClient(client);
    const grant = grantRow({}, NO_CLIENT, clientItself(NO_CLIENT));
    const row = rowOf(grant, 'registration', client.id, expiresAt);
    row.data = JSON.stringify(client);
    await this.context.storage.keep(grant, [row]);
  }

  /**
   * Returns a registered client that is not among the clients: it waits for its first use, or a process stopped during
   * that.
   */
  async find(id: string): Promise<StoredClient | undefined> {
    const row = await this.row(id);
    if (!row || !isCurrent(row) || (await this.context.clients.findById(id))) return undefined;
    return { ...clientIn(row), registeredUntil: row.expiresAt };
  }

  /** Moves a waiting client to the clients. Changes made until the row is marked as used are part of it. */
  async promote(id: string): Promise<void> {
    const { storage } = this.context;
    const row = isRegisteredId(id) ? await this.row(id) : undefined;
    if (!row || !isCurrent(row)) return;
    const isFinal = row.revokedAt !== null;
    if (!isFinal) await storage.spend('registration', digest(id));
    const last = isFinal ? row : await this.row(id);
    // The storage refuses a client that was removed since the row was read.
    if (last) await storage.addNewClient((await prepareClient(this.context, clientIn(last))).to);
  }

  /**
   * Changes a client as long as it waits for its first use.
   * @returns whether it was changed, or `undefined` if it does not wait. `false`: a concurrent request has used or
   * changed it.
   */
  async change({ client }: Pick<Registration, 'client'>, secret: string | undefined): Promise<boolean | undefined> {
    const { storage, clients, secrets } = this.context;
    const row = await this.row(client.id);
    const isWaiting = row && isCurrent(row) && row.revokedAt === null && !(await clients.findById(client.id));
    if (!isWaiting) return undefined;
    verifyClient(client);
    const changed = changedRegistration(clientIn(row), client, secret, secrets.encryption);
    return storage.change(row, { ...row, data: JSON.stringify(changed) });
  }

  /** Removes a waiting client, so that it cannot be promoted any more. Returns whether there was one. */
  async remove(id: string): Promise<boolean> {
    const row = isRegisteredId(id) ? await this.row(id) : undefined;
    if (row) await this.context.storage.revokeGrants({ grantId: row.grantId });
    return row !== undefined && isCurrent(row);
  }

  private async row(id: string): Promise<StoredRow | undefined> {
    return this.context.storage.find('registration', digest(id));
  }
}

const isCurrent = ({ expiresAt }: StoredRow): boolean => expiresAt > Date.now();
const clientIn = ({ data }: StoredRow) => JSON.parse(data!) as StoredClient;
