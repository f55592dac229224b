import type { CreateClientOptions } from '../../model/clients.js';
import { toStoredSecrets } from './stored-secrets.js';
import { newStoredClient } from './managed-client.js';
import type { StoredClient } from '../contract/ports.js';
import type { StoreContext } from './store-context.js';
import { verifyClient, verifySeconds } from './verify-client.js';

/**
 * Returns a client as a store saves it, with hashed or encrypted secrets (`to`), and whether it has secrets
 * (`hasSecrets`).
 * @throws {InvalidArgumentError} If the client is invalid, or the application stores the clients.
 */
export async function prepareClient(
  {
    storage,
    secrets,
    requireStoredClients: ownClients,
  }: Pick<StoreContext, 'storage' | 'secrets' | 'requireStoredClients'>,
  client: StoredClient,
  options: CreateClientOptions = {},
): Promise<{ to: StoredClient; hasSecrets: boolean }> {
  ownClients();
  verifyClient(client);
  verifySeconds(options);
  const hasSecrets = Boolean(client.secret ?? client.secretHashes);
  const to = newStoredClient(client);
  if (hasSecrets) {
    const how = { ...options, encryption: secrets.encryption };
    to.secretHashes = await toStoredSecrets(client, await storage.readClock(), how);
  }
  return { to, hasSecrets };
}
