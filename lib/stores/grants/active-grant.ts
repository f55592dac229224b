import type { StoredClient } from '../contract/ports.js';
import { withoutSecrets } from '../clients/rows.js';
import type { GrantRow } from '../contract/storage.js';

/**
 * A grant as `listGrants()` returns it, for a page on which users see the applications with access to their account.
 */
export interface ActiveGrant {
  id: string;
  clientId: string;
  /** The client without its secrets. `undefined` if the client no longer exists. */
  client?: StoredClient;
  /** The issuer of the server that issued the grant. `undefined` if that server has no issuer. RFC 8414 §2 */
  issuer?: string;
  scope?: string;
  createdAt: Date;
  /**
   * When tokens were last issued for the grant, not when a token was last used. If no tokens were issued yet, when the
   * grant was created.
   */
  lastUsedAt: Date;
  /** When the last token of the grant expires, unless the grant is extended before. */
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
