import type { StoredClient } from './ports.js';
import type { GrantRow, Row } from './storage.js';

/** A client that a document describes, as it was when something was issued to it: it is among no clients. */
export interface ClientSnapshot {
  describedClient?: StoredClient;
}

/** What is kept with all that is issued to such a client; undefined of any other. */
export function snapshotOf(client: StoredClient): { describedClient: StoredClient } | undefined {
  return client.clientIdHost === undefined ? undefined : { describedClient: client };
}

/** The same, as JSON. */
export function snapshotText(client: StoredClient): string | null {
  const snapshot = snapshotOf(client);
  return snapshot ? JSON.stringify(snapshot) : null;
}

/** The client of a row or of a grant, where a document described it: nothing is fetched to know it. */
export function clientFromSnapshot({
  clientId,
  data,
}: Pick<Row | GrantRow, 'clientId' | 'data'>): StoredClient | undefined {
  if (!data?.includes('"describedClient":{')) return undefined;
  const { describedClient: client } = JSON.parse(data) as ClientSnapshot;
  return client?.id === clientId ? client : undefined;
}
