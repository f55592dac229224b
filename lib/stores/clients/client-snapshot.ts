import type { StoredClient } from '../contract/ports.js';
import type { GrantRow, Row } from '../contract/storage.js';

/**
 * The copy of a client from a client ID metadata document, stored with each grant and row of that client. The client
 * itself is not stored.
 */
export interface ClientSnapshot {
  describedClient?: StoredClient;
}

/**
 * Returns the copy of a client from a client ID metadata document, which is stored with everything issued to the
 * client. Returns `undefined` for all other clients.
 */
export function snapshotOf(client: StoredClient): { describedClient: StoredClient } | undefined {
  return client.clientIdHost === undefined ? undefined : { describedClient: client };
}

/** Returns the result of `snapshotOf()` as JSON, or `null` if it is `undefined`. */
export function snapshotText(client: StoredClient): string | null {
  const snapshot = snapshotOf(client);
  return snapshot ? JSON.stringify(snapshot) : null;
}

/**
 * Returns the client whose copy is stored in a row or grant, without fetching its metadata document. Returns
 * `undefined` if it contains no copy.
 */
export function clientFromSnapshot({
  clientId,
  data,
}: Pick<Row | GrantRow, 'clientId' | 'data'>): StoredClient | undefined {
  if (!data?.includes('"describedClient":{')) return undefined;
  const { describedClient: client } = JSON.parse(data) as ClientSnapshot;
  return client?.id === clientId ? client : undefined;
}
