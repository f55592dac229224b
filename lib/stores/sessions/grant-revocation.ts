import type { GrantsModel } from '../../model/grants.js';
import type { GrantModel } from '../../model/model.js';
import type { NotBefore } from '../../model/not-before.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';
import { consentsFor } from '../grants/consent.js';
import { type GrantFilterInput, type GrantSelector, parseGrantFilter } from '../contract/grant-filter.js';
import { CLIENT_KINDS, USER_KINDS } from '../contract/grant-kinds.js';
import { setRevocationTimes } from '../contract/not-before.js';
import type { SessionClients } from './session-clients.js';
import type { StoreContext } from '../clients/store-context.js';

/** The part of a store that revokes grants, with all codes and tokens that were issued for them. */
export class GrantRevocation implements GrantModel, Pick<GrantsModel, 'revokeGrantsOf' | 'revokeBefore'> {
  constructor(
    private readonly context: Pick<StoreContext, 'storage'>,
    private readonly sessionClients: SessionClients,
  ) {}

  /** Revokes one grant with its codes and tokens. Returns `false` if it does not exist or was already revoked. */
  async revokeGrant(grantId: string): Promise<boolean> {
    const count = await this.context.storage.revokeGrants({ kinds: USER_KINDS, grantId });
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

  private async revoke(selector: GrantSelector): Promise<number> {
    const { storage } = this.context;
    const { userId, clientId, grantId } = selector;
    const one = userId === undefined || grantId === undefined ? undefined : { userId, grantId };
    const read = one && (await storage.pageGrants({ kinds: ['tokens'], ...one }, undefined, 1));
    const kinds = clientId === undefined ? USER_KINDS : CLIENT_KINDS;
    const count = await storage.revokeGrants({ kinds, ...selector });
    notifyTokensRevoked({ grantId, userId, clientId });
    const revokedGrant = count > 0 ? read?.grants[0]?.grant : undefined;
    if (!revokedGrant) return count;
    const consents = await storage.listGrants(userId!, ['consent']);
    for (const { id } of consentsFor(consents, revokedGrant.clientId, revokedGrant.issuer)) {
      await storage.revokeGrants({ kinds: ['consent'], grantId: id });
    }
    return count;
  }
}
