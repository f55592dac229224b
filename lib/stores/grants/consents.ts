import type {
  ConsentModel,
  ConsentRequest,
  ConsentSelection,
  PartialConsent,
  RememberedConsent,
} from '../../model/consents.js';
import type { User } from '../../model/model.js';
import {
  canRememberConsent,
  findConsent,
  organizationOf,
  replacedConsents,
  toConsentGrant,
  withRequestedScope,
} from './consent.js';
import { saveOnce } from './save-once.js';
import type { StoredClient } from '../contract/ports.js';
import { grantRow } from '../clients/rows.js';
import { parseGrantFilter } from '../contract/grant-filter.js';
import type { StoreContext } from '../clients/store-context.js';

/** Milliseconds for which a consent is remembered: a year. */
const YEAR = 365 * 86_400_000;

/** The part of a store that remembers the consents of users. Each consent is a grant without tokens. */
export class Consents implements Pick<ConsentModel<StoredClient>, 'hasConsented' | 'saveConsent' | 'forgetConsent'> {
  constructor(private readonly context: Pick<StoreContext, 'storage' | 'overridable'>) {}

  /**
   * Returns whether the user need not be asked for consent: an earlier consent covers the requested scope and resources
   * and may be reused, or `consent` of the client is `never`. If the user refused a part of the scope, returns the part
   * that was allowed. For a request with `data.org_id`, the result is an object with this `organization`. RFC 8252 §8.6
   */
  async hasConsented(user: User, consentRequest: ConsentRequest<StoredClient>): Promise<RememberedConsent> {
    const request = withRequestedScope(consentRequest);
    const consent = await this.find(user, request);
    const organization = organizationOf(request);
    if (organization === undefined || consent === false) return consent;
    return { organization, ...(consent !== true && consent) };
  }

  private async find(user: User, request: ConsentRequest<StoredClient>): Promise<boolean | PartialConsent> {
    if (request.client.consent === 'never') return true;
    if (!canRememberConsent(request.client, request)) return false;
    return findConsent(await this.context.storage.listGrants(String(user['id']), ['consent']), request);
  }

  /**
   * Remembers a consent for a year. Does nothing if an earlier consent covers the request, or if consents to it must
   * not be reused. If the user refused a part of the scope, earlier consents to that part end.
   */
  async saveConsent(user: User, consentRequest: ConsentRequest<StoredClient>): Promise<void> {
    let request = withRequestedScope(consentRequest);
    const { storage, overridable } = this.context;
    if (!canRememberConsent(request.client, request)) return;
    if (request.refusedScope) {
      const { replaced, completed } = replacedConsents(
        await storage.listGrants(String(user['id']), ['consent']),
        request,
      );
      // They end first: if the process stops before the new consent is saved, the user is asked again.
      for (const { id: grantId } of replaced) await storage.revokeGrants({ kinds: ['consent'], grantId });
      request = completed;
    } else if (isWhole(await overridable.hasConsented(user, request))) return;
    const grant = toConsentGrant(grantRow('consent', request, request.client, user), request);
    const stored = { ...grant, expiresAt: Date.now() + YEAR };
    const { userId, clientId, issuer, scope, data } = stored;
    const minute = Math.floor(Date.now() / 60_000);
    await saveOnce(storage, JSON.stringify([minute, userId, clientId, issuer, scope, data]), stored);
  }

  /** Deletes the remembered consents of a user to a client. Returns how many there were. */
  async forgetConsent({ userId, clientId, issuer }: ConsentSelection): Promise<number> {
    const selector = { userId, clientId, ...(issuer !== undefined && { issuer }) };
    return this.context.storage.revokeGrants({ kinds: ['consent'], ...parseGrantFilter(selector) });
  }
}

/** Whether a remembered consent is to the whole requested scope. */
const isWhole = (consent: RememberedConsent): boolean =>
  typeof consent === 'object' ? consent.scope === undefined : consent;
