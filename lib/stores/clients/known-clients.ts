import type { ClientIdDocumentModel } from '../../features/client-id-documents/document-options.js';
import { isRegisteredId } from '../../clients/registration/client-id.js';
import type { Client } from '../../model/model.js';
import { clientFromSnapshot } from './client-snapshot.js';
import { isDisabled } from './managed-client.js';
import type { StoredClient } from '../contract/ports.js';
import { matchesSecret } from './registered-client.js';
import { withoutSecrets } from './rows.js';
import type { StoreContext } from './store-context.js';
import type { StoredRow } from '../contract/storage.js';
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

  /**
   * Returns an enabled client, or `undefined` if there is none with this ID or the secret is wrong. If the secret is
   * `null`, it is not verified.
   */
  async getClient(clientId: string, clientSecret: string | null): Promise<StoredClient | undefined> {
    const client = await this.savedClient(clientId, clientSecret);
    if (client || !isRegisteredId(clientId)) return client;
    const unused = await this.unused.find(clientId);
    // A concurrent request may have moved the client to the saved clients since the first look-up.
    if (!unused) return this.savedClient(clientId, clientSecret);
    const isKnown = clientSecret === null || matchesSecret(unused, clientSecret, this.context.secrets.encryption);
    return isKnown ? withoutSecrets(unused) : undefined;
  }

  /**
   * Returns the client of a row. A client from a client ID metadata document is read from the copy in the row, without
   * a request.
   */
  async clientOf(row: StoredRow): Promise<StoredClient | undefined> {
    const { clientId, client: known } = row;
    const saved = known === undefined ? await this.context.clients.findById(clientId) : known;
    const client = saved || clientFromSnapshot(row);
    return client ?? (isRegisteredId(clientId) ? this.unused.find(clientId) : undefined);
  }

  /**
   * Returns the secrets of a client with `client_secret_jwt`, as plain text. Empty if the client has no secrets that
   * can be read. OpenID Connect Core §9
   */
  async secretsOf({ id }: Pick<Client, 'id'>): Promise<readonly string[]> {
    const { clients, secrets } = this.context;
    return secrets.readableSecrets((await clients.findById(id)) || (await this.unused.find(id)) || {});
  }

  /**
   * Returns whether the client with this ID may come from a client ID metadata document. Returns `false` if a client is
   * saved under this ID, since saved clients take precedence. CIMD §7.2
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
