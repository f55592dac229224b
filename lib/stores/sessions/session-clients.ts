import type {
  SessionClient,
  SessionClientFilter,
  SessionClientModel,
  SignOutListener,
} from '../../model/session-clients.js';
import { saveOnce } from '../grants/save-once.js';
import { grantRow } from '../clients/rows.js';
import { toSessionClientGrant, readSessionClient } from './session-client.js';
import type { StoreContext } from '../clients/store-context.js';
import type { GrantSelector } from '../contract/grant-filter.js';
import type { GrantRow } from '../contract/storage.js';

/**
 * The part of a store that records at which clients users have signed in, so that a logout notifies them. Each sign-in
 * is a grant without tokens.
 */
export class SessionClients implements SessionClientModel {
  private readonly listeners = new Map<string, SignOutListener>();

  constructor(private readonly context: Pick<StoreContext, 'storage'>) {}

  /**
   * Records until `expiresAt` that a user has signed in at a client. Repeated calls for the same sign-in store it once.
   */
  async saveSessionClient(signIn: SessionClient, expiresAt: Date): Promise<void> {
    const { userId, clientId, issuer, sid, sub, grantId } = signIn;
    const empty = grantRow('sign_in', { issuer }, { id: clientId, grants: [] }, { id: userId });
    const grant = toSessionClientGrant(empty, signIn, expiresAt);
    // After a logout, the grant of the name is revoked. If the user signs in again in the same session, the next name is
    // used.
    const name = JSON.stringify([issuer, userId, clientId, sid, sub, grantId]);
    await saveOnce(this.context.storage, name, grant);
  }

  /**
   * Removes the recorded sign-ins that match a filter and returns them. Each is returned to exactly one of several
   * concurrent callers.
   */
  async takeSessionClients(filter: SessionClientFilter): Promise<SessionClient[]> {
    const taken: SessionClient[] = [];
    try {
      await this.take(filter, taken);
    } catch (error) {
      // The sign-ins that were already removed must be returned, since no other caller gets them. The others are still
      // stored.
      if (taken.length === 0) throw error;
    }
    return taken;
  }

  /**
   * Sets the listener that is called with the sign-ins at an issuer which end because the grants of a user are revoked.
   */
  onSignOut(issuer: string, listener: SignOutListener): void {
    this.listeners.set(issuer, listener);
  }

  /**
   * Revokes grants, and calls the listeners of this process with the sign-ins at clients that end with them. Sign-ins
   * end only if the filter selects a user and not a single grant.
   */
  async endWith<T>({ userId, grantId, ...filter }: GrantSelector, revoke: () => Promise<T>): Promise<T> {
    const taken: SessionClient[] = [];
    try {
      if (userId !== undefined && grantId === undefined) {
        const issuers = [...this.listeners.keys()].filter((issuer) => issuer === (filter.issuer ?? issuer));
        for (const issuer of issuers) await this.take({ userId, ...filter, issuer }, taken);
      }
      return await revoke();
    } finally {
      // A removed sign-in is never returned again, so its client is notified even if the revocation has failed.
      this.notify(taken);
    }
  }

  private notify(taken: readonly SessionClient[]): void {
    for (const [issuer, listener] of this.listeners) {
      const own = taken.filter((signIn) => signIn.issuer === issuer);
      if (own.length > 0) listener(own);
    }
  }

  private async take(filter: SessionClientFilter, taken: SessionClient[]): Promise<void> {
    for (const grant of await this.find(filter)) {
      const count = await this.context.storage.revokeGrants({ kinds: ['sign_in'], grantId: grant.id });
      if (count > 0) taken.push(readSessionClient(grant));
    }
  }

  private async find(filter: SessionClientFilter): Promise<GrantRow[]> {
    const conditions = Object.entries(filter);
    return (await this.context.storage.listGrants(filter.userId, ['sign_in'])).filter((grant) => {
      const signIn = readSessionClient(grant);
      return conditions.every(([name, value]) => value === undefined || signIn[name as keyof SessionClient] === value);
    });
  }
}
