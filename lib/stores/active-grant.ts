import type { StoredClient } from './ports.js';
import { withoutSecrets } from './rows.js';
import type { GrantRow } from './storage.js';

/** A grant as users see it on the page of applications with access to their account. */
export interface ActiveGrant {
  id: string;
  clientId: string;
  /** The client without its secrets. If omitted, the client no longer exists. */
  client?: StoredClient;
  /** The issuer of the grant. If omitted, the server has no issuer. RFC 8414 §2 */
  issuer?: string;
  scope?: string;
  createdAt: Date;
  /** When tokens were last issued for the grant. */
  lastUsedAt: Date;
  /** When the last token of the grant expires. */
  expiresAt: Date;
}

export function toActiveGrant(row: GrantRow, client: StoredClient | undefined): ActiveGrant {
  return {
    id: row.id,
    clientId: row.clientId,
    client: client && withoutSecrets(client),
    issuer: row.issuer ?? undefined,
    scope: row.scope ?? undefined,
    createdAt: new Date(row.createdAt),
    lastUsedAt: new Date(row.lastUsedAt ?? row.createdAt),
    expiresAt: new Date(row.expiresAt),
  };
}
