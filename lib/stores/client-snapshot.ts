import type { StoredClient } from './ports.js';
import type { GrantRow, Row } from './storage.js';

/**
 * The stored copy of a client that a client ID metadata document describes, as it was when something was issued to it.
 * The client itself is not among the clients of the store.
 */
export interface ClientSnapshot {
  describedClient?: StoredClient;
}

/**
 * Returns the copy of a client to store with everything issued to it, or `undefined` if no metadata document describes
 * it.
 */
export function snapshotOf(client: StoredClient): { describedClient: StoredClient } | undefined {
  return client.clientIdHost === undefined ? undefined : { describedClient: client };
}

/** Returns the result of `snapshotOf()` as JSON, or `null`. */
export function snapshotText(client: StoredClient): string | null {
  const snapshot = snapshotOf(client);
  return snapshot ? JSON.stringify(snapshot) : null;
}

/**
 * Returns the client whose copy is stored with a row or grant, without fetching its metadata document. `undefined` if
 * there is no copy.
 */
export function clientFromSnapshot({
  clientId,
  data,
}: Pick<Row | GrantRow, 'clientId' | 'data'>): StoredClient | undefined {
  if (!data?.includes('"describedClient":{')) return undefined;
  const { describedClient: client } = JSON.parse(data) as ClientSnapshot;
  return client?.id === clientId ? client : undefined;
}
