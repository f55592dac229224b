import { clientItself } from '../../tokens/client-subject.js';
import { isRegisteredId } from '../../clients/registration/client-id.js';
import type { Registration } from '../../features/registration/registration-model.js';
import { digest } from './client-secret.js';
import type { StoredClient } from '../contract/ports.js';
import { prepareClient } from './prepare-client.js';
import { changedRegistration } from './registered-client.js';
import { grantRow, rowOf } from './rows.js';
import type { StoreContext } from './store-context.js';
import type { StoredRow } from '../contract/storage.js';
import { verifyClient } from './verify-client.js';

/** The placeholder for the client of the grant under which a registered client is stored until it is used. */
const NO_CLIENT = { id: '', grants: [] };

/**
 * Stores clients that registered themselves and were never used. Each is a row that expires, like a code. When a code
 * or token is first issued to the client, the client moves to the saved clients: its row is marked as used, which
 * prevents further changes, and its last content becomes the saved client. If the process stops in between, the client
 * is still read from the row.
 */
export class UnusedClients {
  constructor(
    private readonly context: Pick<StoreContext, 'storage' | 'clients' | 'secrets' | 'requireStoredClients'>,
  ) {}

  /** Saves a client that has registered itself and expires unless a code or token is issued to it before. */
  async save(client: StoredClient, expiresAt: Date): Promise<void> {
    verifyClient(client);
    const grant = grantRow('registration', {}, NO_CLIENT, clientItself(NO_CLIENT));
    const row = rowOf(grant, 'registration', client.id, expiresAt);
    row.data = JSON.stringify(client);
    await this.context.storage.save(grant, [row]);
  }

  /**
   * Returns a registered client that is stored here and not among the saved clients: it was never used, or a process
   * stopped while it moved the client. Returns `undefined` if there is none with this ID.
   */
  async find(id: string): Promise<StoredClient | undefined> {
    const row = await this.row(id);
    if (!row || !isCurrent(row) || (await this.context.clients.findById(id))) return undefined;
    return { ...clientIn(row), expiresIfUnusedAt: row.expiresAt };
  }

  /**
   * Moves an unused client to the saved clients, with all changes made until its row is marked as used. Does nothing if
   * there is no unused client with this ID.
   */
  async promote(id: string): Promise<void> {
    const { storage } = this.context;
    const row = isRegisteredId(id) ? await this.row(id) : undefined;
    if (!row || !isCurrent(row)) return;
    const isFinal = row.revokedAt !== null;
    if (!isFinal) await storage.consume('registration', digest(id));
    const last = isFinal ? row : await this.row(id);
    // If the client was removed since its row was read, `addNewClient()` rejects its ID.
    if (last) await storage.addNewClient((await prepareClient(this.context, clientIn(last))).to);
  }

  /**
   * Changes an unused client.
   * @returns `true` if it was changed. `false` if a concurrent request has used or changed it. `undefined` if there is
   * no unused client with this ID.
   */
  async change({ client }: Pick<Registration, 'client'>, secret: string | undefined): Promise<boolean | undefined> {
    const { storage, clients, secrets } = this.context;
    const row = await this.row(client.id);
    const isWaiting = row && isCurrent(row) && row.revokedAt === null && !(await clients.findById(client.id));
    if (!isWaiting) return undefined;
    verifyClient(client);
    const changed = changedRegistration(clientIn(row), client, secret, secrets.encryption);
    return storage.update(row, { ...row, data: JSON.stringify(changed) });
  }

  /** Removes an unused client, so that it can never be used. Returns whether there was one with this ID. */
  async remove(id: string): Promise<boolean> {
    const row = isRegisteredId(id) ? await this.row(id) : undefined;
    if (row) await this.context.storage.revokeGrants({ kinds: ['registration'], grantId: row.grantId });
    return row !== undefined && isCurrent(row);
  }

  private async row(id: string): Promise<StoredRow | undefined> {
    return this.context.storage.find('registration', digest(id));
  }
}

const isCurrent = ({ expiresAt }: StoredRow): boolean => expiresAt > Date.now();
const clientIn = ({ data }: StoredRow) => JSON.parse(data!) as StoredClient;
