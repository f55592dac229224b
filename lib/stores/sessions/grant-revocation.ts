import type { GrantsModel } from '../../model/grants.js';
import type { GrantModel } from '../../model/model.js';
import type { NotBefore } from '../../model/not-before.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';
import { consentsFor } from '../grants/consent.js';
import { type GrantFilterInput, parseGrantFilter } from '../contract/grant-filter.js';
import { setRevocationTimes } from '../contract/not-before.js';
import type { SessionClients } from './session-clients.js';
import type { StoreContext } from '../clients/store-context.js';
import type { GrantFilter } from '../contract/storage.js';
import { consentsOf, sessionClientsOf } from '../contract/user-records.js';

/** The part of a store that revokes grants, with all codes and tokens that were issued for them. */
export class GrantRevocation implements GrantModel, Pick<GrantsModel, 'revokeGrantsOf' | 'revokeBefore'> {
  constructor(
    private readonly context: Pick<StoreContext, 'storage'>,
    private readonly sessionClients: SessionClients,
  ) {}

  /** Revokes one grant with its codes and tokens. Returns `false` if it does not exist or was already revoked. */
  async revokeGrant(grantId: string): Promise<boolean> {
    const count = await this.context.storage.revokeGrants({ grantId });
    notifyTokensRevoked({ grantId });
    return count > 0;
  }

  /**
   * Revokes the grants that match a filter. If the filter selects all grants of a user, the user's sessions end too,
   * and the clients of these sessions are notified.
   * @throws {InvalidArgumentError} If the filter is empty or a field is `undefined`, which would revoke the grants of
   * others.
   */
  async revokeGrantsOf(input: GrantFilterInput): Promise<number> {
    const filter = parseGrantFilter(input);
    return this.sessionClients.endWith(filter, () => this.revoke(filter));
  }

  /**
   * Revokes every grant that began before a time. Returns that time, which is the current time of the database if none
   * is passed.
   */
  async revokeBefore(which: NotBefore = {}): Promise<Date> {
    const time = await setRevocationTimes(this.context.storage, which);
    // Connections that are still open in this process verify their tokens again.
    notifyTokensRevoked({});
    return time;
  }

  private async revoke(filter: GrantFilter): Promise<number> {
    const { storage } = this.context;
    const { userId, grantId } = filter;
    const grants = userId !== undefined && grantId !== undefined ? await storage.listGrants(userId) : [];
    let count = 0;
    if (userId !== undefined && grantId === undefined) {
      // Consents are revoked first: if the process stops before the grants are revoked, no client may get new tokens
      // without asking the user.
      for (const stored of [consentsOf(userId), sessionClientsOf(userId)]) {
        count += await storage.revokeGrants({ ...filter, userId: stored });
      }
    }
    count += await storage.revokeGrants(filter);
    notifyTokensRevoked({ grantId, userId, clientId: filter.clientId });
    const revokedGrant = count > 0 ? grants.find(({ id }) => id === grantId) : undefined;
    if (!revokedGrant) return count;
    const stored = [...grants, ...(await storage.listGrants(consentsOf(userId!)))];
    for (const { id, userId: owner } of consentsFor(stored, revokedGrant.clientId, revokedGrant.issuer)) {
      await storage.revokeGrants({ userId: owner!, grantId: id });
    }
    return count;
  }
}
