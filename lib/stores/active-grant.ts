import type { StoredClient } from './ports.js';
import { withoutSecrets } from './rows.js';
import type { GrantRow } from './storage.js';

/** A line of the page on which users see which applications have access to their account. */
export interface ActiveGrant {
  id: string;
  clientId: string;
  /** Left out: the client is no longer known. */
  client?: StoredClient;
  /** Who gave it out, where the host has named an issuer. RFC 8414 §2 */
  issuer?: string;
  scope?: string;
  createdAt: Date;
  /** When tokens were last issued on it. */
  lastUsedAt: Date;
  /** When the last of its tokens expires. */
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
