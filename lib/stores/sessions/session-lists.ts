import type { GrantSelection, Paging } from '../../model/grants.js';
import type { ListedSession, SessionList, SessionListModel } from '../../model/session-list.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';
import { parseGrantFilter } from '../contract/grant-filter.js';
import { BATCH_SIZE, type GrantPages } from './grant-pages.js';
import { isSessionClient, signInSession } from './session-client.js';
import { isPendingLogin, isSessionGrant, listedSession } from './session-row.js';
import type { StoreContext } from '../clients/store-context.js';
import type { GrantFilter, GrantRow } from '../contract/storage.js';
import { sessionClientsOf } from '../contract/user-records.js';

/** The part of a store that lists and ends sessions by user and by client. */
export class SessionLists implements SessionListModel {
  constructor(
    private readonly context: Pick<StoreContext, 'storage' | 'overridable'>,
    private readonly pages: GrantPages,
  ) {}

  /**
   * Returns a page of sessions. With `userId`, only sessions of this user. With `clientId`, only sessions with a
   * sign-in at this client. With both, both conditions must hold.
   */
  async listSessions({ after, limit, ...selection }: GrantSelection & Paging): Promise<SessionList> {
    const filter = parseGrantFilter(selection);
    const { userId, clientId, issuer } = filter;
    const isOfUser = userId !== undefined;
    const read = isOfUser
      ? await this.sessionReader(userId, clientId)
      : (grant: GrantRow) => this.sessionsAtClient(grant, issuer);
    const where: GrantFilter = isOfUser ? { userId } : { clientId: clientId! };
    if (issuer !== undefined) where.issuer = issuer;
    const { items, ...more } = await this.pages.read(where, { after, limit }, read);
    return { sessions: items, ...more };
  }

  /** Ends one session of a user. Returns `false` if the user has no active session with this ID. */
  async endSession({ userId, id }: { userId: string | number; id: string }): Promise<boolean> {
    const { storage } = this.context;
    const filter = parseGrantFilter({ userId, grantId: id });
    const { grants } = await storage.pageGrants(filter, undefined, 1);
    const isEnded = grants.some(({ grant }) => isSessionGrant(grant)) && (await storage.revokeGrants(filter)) > 0;
    if (isEnded) notifyTokensRevoked({ grantId: id });
    return isEnded;
  }

  /**
   * Ends the sessions that `listSessions()` returns for this selection, one by one. If it selects all sessions of a
   * user, also ends logins that wait for a second factor.
   * @param selection `except` is the `id` of a session that does not end.
   * @returns the number of sessions that were active
   */
  async endSessions({ except, ...selection }: GrantSelection & { except?: string }): Promise<number> {
    const { overridable } = this.context;
    await this.endPendingLogins(parseGrantFilter(selection));
    let count = 0;
    for (let after: string | undefined; ;) {
      const page: SessionList = await overridable.listSessions({
        ...selection,
        ...(after !== undefined && { after }),
        limit: BATCH_SIZE,
      });
      for (const { id, userId } of page.sessions) {
        if (id !== except && (await overridable.endSession({ userId, id }))) count += 1;
      }
      if (page.next === undefined) return count;
      after = page.next;
    }
  }

  /**
   * Ends logins of a user that wait for a second factor, so that none of them becomes a session later. Does nothing if
   * a client is selected.
   */
  private async endPendingLogins({ userId, clientId, issuer }: GrantFilter): Promise<void> {
    const { storage } = this.context;
    if (userId === undefined || clientId !== undefined) return;
    const filter: GrantFilter = issuer === undefined ? { userId } : { userId, issuer };
    for (let after: string | undefined; ;) {
      const page = await storage.pageGrants(filter, after, BATCH_SIZE);
      for (const { grant } of page.grants) {
        if (isPendingLogin(grant)) await storage.revokeGrants({ userId, grantId: grant.id });
      }
      if (page.next === undefined) return;
      after = page.next;
    }
  }

  /**
   * Returns a function that returns the session of a grant in a list, or an empty list if the grant is no session. If a
   * client is passed, only sessions with a sign-in at this client count.
   */
  private async sessionReader(userId: string, clientId?: string): Promise<(grant: GrantRow) => ListedSession[]> {
    if (clientId === undefined) return sessionsIn;
    const sids = new Set<string>();
    const read = (grant: GrantRow) => {
      if (isSessionClient(grant)) sids.add(signInSession(grant).sid);
      return [];
    };
    await this.pages.read({ userId: sessionClientsOf(userId), clientId }, {}, read);
    return (grant) => {
      const session = isSessionGrant(grant) ? listedSession(grant) : undefined;
      return session?.sid !== undefined && sids.has(session.sid) ? [session] : [];
    };
  }

  /**
   * Returns the user's sessions with the `sid` of a sign-in at a client. Empty if the grant does not record such a
   * sign-in.
   */
  private async sessionsAtClient(grant: GrantRow, issuer: string | undefined): Promise<ListedSession[]> {
    if (!isSessionClient(grant)) return [];
    const { sid, userId } = signInSession(grant);
    if (userId === undefined) return [];
    const filter = issuer === undefined ? { userId } : { userId, issuer };
    const { items } = await this.pages.read(filter, { limit: 1000 }, sessionsIn);
    return items.filter((session) => session.sid === sid);
  }
}

/** Returns a list with the session that a grant represents. The list is empty if the grant is no session. */
const sessionsIn = (grant: GrantRow): ListedSession[] => (isSessionGrant(grant) ? [listedSession(grant)] : []);
