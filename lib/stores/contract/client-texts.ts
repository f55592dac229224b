import type { StoredClient } from './ports.js';

/** Returns two JSON texts: the properties of a client, and the hashes of its secrets. */
export function writeClient({ id: _, secret: __, secretHashes = [], ...rest }: StoredClient) {
  return { metadata: JSON.stringify(rest), secretHashes: JSON.stringify(secretHashes) };
}

/** Returns a client from its JSON texts. If the text of the hashes is omitted, the client has no `secretHashes`. */
export function readClient(id: string, metadata: string, secretHashes?: string): StoredClient {
  const client: StoredClient = { ...(JSON.parse(metadata) as Omit<StoredClient, 'id'>), id };
  if (secretHashes !== undefined) client.secretHashes = JSON.parse(secretHashes) as StoredClient['secretHashes'];
  return client;
}
