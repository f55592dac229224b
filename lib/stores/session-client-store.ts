import type {
  SessionClient,
  SessionClientFilter,
  SessionClientModel,
  SignOutListener,
} from '../model/session-clients.js';
import { type GivenFilter, readFilter } from './grant-filter.js';
import { grantRow } from './rows.js';
import { isSessionClient, markSessionClient, readSessionClient } from './session-client.js';
import type { GrantRow, Storage } from './storage.js';
import { sessionClientsOf } from './user-records.js';
import { minute, UserStore } from './user-store.js';

/** What of a store is of clients at which users have signed in: a grant each, on which nothing hangs. */
export abstract class SessionClientStore<S extends Storage> extends UserStore<S> implements SessionClientModel {
  private readonly listeners = new Map<string, SignOutListener>();

  async saveSessionClient(one: SessionClient, expiresAt: Date): Promise<void> {
    const { userId, clientId, issuer, sid, sub, grantId } = one;
    const grant = markSessionClient(grantRow({ issuer }, { id: clientId, grants: [] }, { id: userId }), one, expiresAt);
    grant.userId = sessionClientsOf(userId);
    // A sign-out revokes the first name, and the session may sign in again.
    const name = JSON.stringify([issuer, userId, clientId, sid, sub, grantId]);
    await this.keepOnce([name, `${name} ${minute()}`], grant);
  }

  async takeSessionClients(filter: SessionClientFilter): Promise<SessionClient[]> {
    const taken: SessionClient[] = [];
    try {
      await this.take(filter, taken);
    } catch (error) {
      // What is taken already nobody else will be handed; the others are there still.
      if (taken.length === 0) throw error;
    }
    return taken;
  }

  onSignOut(issuer: string, listener: SignOutListener): void {
    this.listeners.set(issuer, listener);
  }

  /** Whoever is signed out so is signed out at the clients too, of servers of this process. */
  override async revokeGrantsOf(given: GivenFilter): Promise<number> {
    const { userId, grantId, ...filter } = readFilter(given);
    const taken: SessionClient[] = [];
    try {
      if (userId !== undefined && grantId === undefined) {
        const issuers = [...this.listeners.keys()].filter((one) => one === (filter.issuer ?? one));
        for (const issuer of issuers) await this.take({ userId, ...filter, issuer }, taken);
      }
      return await super.revokeGrantsOf(given);
    } finally {
      // Whatever else has failed: nobody is handed them a second time.
      this.tell(taken);
    }
  }

  private tell(taken: readonly SessionClient[]): void {
    for (const [issuer, tell] of this.listeners) {
      const ended = taken.filter((one) => one.issuer === issuer);
      if (ended.length > 0) tell(ended);
    }
  }

  private async take(filter: SessionClientFilter, taken: SessionClient[]): Promise<void> {
    for (const grant of await this.listSessionClients(filter)) {
      const isOurs = await this.storage.revokeGrants({ userId: grant.userId!, grantId: grant.id });
      if (isOurs > 0) taken.push(readSessionClient(grant, filter.userId));
    }
  }

  private async listSessionClients(filter: SessionClientFilter): Promise<GrantRow[]> {
    const wanted = Object.entries(filter);
    return (await this.storage.listGrants(sessionClientsOf(filter.userId))).filter((grant) => {
      if (!isSessionClient(grant)) return false;
      const one = readSessionClient(grant, filter.userId);
      return wanted.every(([name, value]) => value === undefined || one[name as keyof SessionClient] === value);
    });
  }
}
