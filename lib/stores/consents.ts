import type { ConsentRequest, ConsentModel } from '../model/consents.js';
import type { User } from '../model/model.js';
import { hasConsentFor, toConsentGrant, canRememberConsent, withRequestedScope } from './consent.js';
import { keepOnce, currentMinute } from './save-once.js';
import type { StoredClient } from './ports.js';
import { grantRow } from './rows.js';
import type { StoreContext } from './store-context.js';
import { consentsOf } from './user-records.js';

/** Milliseconds for which a consent is remembered. */
const YEAR = 365 * 86_400_000;

/** The part of a store that remembers what users consented to. Each consent is a grant without tokens. */
export class Consents implements Pick<ConsentModel<StoredClient>, 'hasConsented' | 'saveConsent'> {
  constructor(private readonly context: Pick<StoreContext, 'storage' | 'overridable'>) {}

  /**
   * Returns whether the user has consented to at least this scope before, for the same resources. The `consent` setting
   * of the client comes first. RFC 8252 §8.6
   */
  async hasConsented(user: User, given: ConsentRequest<StoredClient>): Promise<boolean> {
    const asked = withRequestedScope(given);
    if (asked.client.consent === 'never') return true;
    if (!canRememberConsent(asked.client, asked)) return false;
    return hasConsentFor(await this.context.storage.listGrants(consentsOf(String(user['id']))), asked);
  }

  /** Remembers a consent for a year, if an earlier consent may stand for a later one at all. */
  async saveConsent(user: User, given: ConsentRequest<StoredClient>): Promise<void> {
    const asked = withRequestedScope(given);
    const { storage, overridable } = this.context;
    if (!canRememberConsent(asked.client, asked) || (await overridable.hasConsented(user, asked))) return;
    const grant = toConsentGrant(grantRow(asked, asked.client, user), asked);
    const stored = { ...grant, userId: consentsOf(String(user['id'])), expiresAt: Date.now() + YEAR };
    const { userId, clientId, issuer, scope, data } = stored;
    await keepOnce(storage, [JSON.stringify([currentMinute(), userId, clientId, issuer, scope, data])], stored);
  }
}
