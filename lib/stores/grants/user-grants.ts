import type { AuthorizedApplication, AuthorizedGrant } from '../../model/consents.js';
import { type ActiveGrant, toActiveGrant } from './active-grant.js';
import { combinedScope } from './consent.js';
import { hasCurrentPassword } from '../clients/password-mark.js';
import { clientFromSnapshot } from '../clients/client-snapshot.js';
import type { StoredClient } from '../contract/ports.js';
import { withoutSecrets } from '../clients/rows.js';
import type { StoreContext } from '../clients/store-context.js';
import type { GrantKinds, GrantRow } from '../contract/storage.js';

/** The part of a store that returns which applications have access to a user's account. */
export class UserGrants {
  constructor(private readonly context: Pick<StoreContext, 'storage' | 'clients' | 'users'>) {}

  /**
   * Returns the active grants of a user, without those from before the user's last change of password. The most
   * recently used grant comes first.
   */
  async listGrants(userId: string | number): Promise<ActiveGrant[]> {
    const rows = await this.currentGrants(userId, ['tokens']);
    const clients = await this.clientsOf(rows);
    return rows.map((row) => toActiveGrant(row, clients.get(row.clientId)));
  }

  /**
   * Returns the applications that have access to a user's account, or can get it again without asking for consent. The
   * most recently used application comes first.
   * @param at If it has an `issuer`, only applications with grants or consents at that issuer are returned.
   */
  async listApplications(
    userId: string | number,
    at: { issuer?: string } = {},
  ): Promise<AuthorizedApplication<StoredClient>[]> {
    const all = await this.currentGrants(userId, ['tokens', 'consent']);
    const rows = at.issuer === undefined ? all : all.filter((row) => row.issuer === at.issuer);
    return [...(await this.clientsOf(rows))].map(([clientId, client]) => {
      const grants = rows.filter((row) => row.clientId === clientId);
      return {
        clientId,
        client: client && withoutSecrets(client),
        scope: combinedScope(grants),
        createdAt: new Date(Math.min(...grants.map(({ createdAt }) => createdAt))),
        lastUsedAt: new Date(Math.max(...grants.map(usedAt))),
        consentRemembered: grants.some(({ kind }) => kind === 'consent'),
        grants: grants.filter(({ kind }) => kind === 'tokens').map(toAuthorizedGrant),
      };
    });
  }

  /** Returns the grants of a user, without those from before the user's last change of password. */
  private async currentGrants(userId: string | number, kinds: GrantKinds): Promise<GrantRow[]> {
    const { storage, users } = this.context;
    const rows = await storage.listGrants(String(userId), kinds);
    const user = users.credentialOf && rows.length > 0 ? await users.findById(String(userId)) : undefined;
    return user ? rows.filter((row) => hasCurrentPassword(users, user, row)) : rows;
  }

  /** Returns the clients of grants by their IDs. The value is `undefined` for a client that no longer exists. */
  private async clientsOf(rows: readonly GrantRow[]): Promise<Map<string, StoredClient | undefined>> {
    const { clients } = this.context;
    const ids = [...new Set(rows.map(({ clientId }) => clientId))];
    return new Map(
      await Promise.all(ids.map(async (id) => [id, (await clients.findById(id)) || describedIn(rows, id)] as const)),
    );
  }
}

const toAuthorizedGrant = (row: GrantRow): AuthorizedGrant => ({
  id: row.id,
  scope: row.scope ?? undefined,
  createdAt: new Date(row.createdAt),
  lastUsedAt: new Date(usedAt(row)),
});

const usedAt = ({ lastUsedAt, createdAt }: GrantRow) => lastUsedAt ?? createdAt;

/**
 * Returns a client from a client ID metadata document, as it was when its latest grant was saved. Returns `undefined`
 * if no grant has a copy of it.
 */
function describedIn(rows: readonly GrantRow[], id: string): StoredClient | undefined {
  const row = rows.find(
    ({ clientId, data }) => clientId === id && data !== null && clientFromSnapshot({ clientId, data }),
  );
  return row && clientFromSnapshot(row);
}
