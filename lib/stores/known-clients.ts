import type { ClientIdDocumentModel } from '../features/client-id-documents/document-options.js';
import { isRegisteredId } from '../clients/registration/client-id.js';
import type { Client } from '../model/model.js';
import { clientFromSnapshot } from './client-snapshot.js';
import { isDisabled } from './managed-client.js';
import type { StoredClient } from './ports.js';
import { matchesSecret } from './registered-client.js';
import { withoutSecrets } from './rows.js';
import type { StoreContext } from './store-context.js';
import type { StoredRow } from './storage.js';
import type { UnusedClients } from './unused-clients.js';

/**
 * The part of a store that finds clients: saved clients, unused registered clients, and clients that a client ID
 * metadata document describes.
 */
export class KnownClients implements ClientIdDocumentModel {
  constructor(
    private readonly context: Pick<StoreContext, 'clients' | 'secrets'>,
    private readonly unused: UnusedClients,
  ) {}

  /** Finds an enabled client. Verifies its secret unless that is `null`. */
  async getClient(clientId: string, clientSecret: string | null): Promise<StoredClient | undefined> {
    const client = await this.savedClient(clientId, clientSecret);
    if (client || !isRegisteredId(clientId)) return client;
    const unused = await this.unused.find(clientId);
    // The client may have been moved to the saved clients since the first look-up.
    if (!unused) return this.savedClient(clientId, clientSecret);
    const isKnown = clientSecret === null || matchesSecret(unused, clientSecret, this.context.secrets.encryption);
    return isKnown ? withoutSecrets(unused) : undefined;
  }

  /** Finds the client of a row. A client that a metadata document describes is read from the row itself. */
  async clientOf(row: StoredRow): Promise<StoredClient | undefined> {
    const { clientId, client: known } = row;
    const saved = known === undefined ? await this.context.clients.findById(clientId) : known;
    const client = saved || clientFromSnapshot(row);
    return client ?? (isRegisteredId(clientId) ? this.unused.find(clientId) : undefined);
  }

  /** Returns the secrets of a client that signs with them. OpenID Connect Core §9 */
  async secretsOf({ id }: Pick<Client, 'id'>): Promise<readonly string[]> {
    const { clients, secrets } = this.context;
    return secrets.readableSecrets((await clients.findById(id)) || (await this.unused.find(id)) || {});
  }

  /**
   * Returns whether no client is saved under this ID: a saved client takes precedence over a metadata document. CIMD
   * §7.2
   */
  async mayUseClientIdDocument(clientId: string): Promise<boolean> {
    return !(await this.context.clients.findById(clientId));
  }

  private async savedClient(clientId: string, clientSecret: string | null): Promise<StoredClient | undefined> {
    const { clients, secrets } = this.context;
    const client = await clients.findById(clientId);
    if (!client || isDisabled(client)) return undefined;
    const isRightSecret = clientSecret === null || (await secrets.isValidSecret(client, clientSecret));
    return isRightSecret ? withoutSecrets(client) : undefined;
  }
}
