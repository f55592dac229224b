import type { GrantSelection, Paging } from '../../model/grants.js';
import type { ListedSession, SessionList, SessionListModel } from '../../model/session-list.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';
import { parseGrantFilter } from '../contract/grant-filter.js';
import { BATCH_SIZE, type GrantPages } from './grant-pages.js';
import { readSessionClient } from './session-client.js';
import { listedSession } from './session-row.js';
import type { StoreContext } from '../clients/store-context.js';
import type { GrantRow } from '../contract/storage.js';

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
    const { userId, clientId, issuer } = parseGrantFilter(selection);
    const at = issuer === undefined ? {} : { issuer };
    const { items, ...more } =
      userId === undefined
        ? await this.pages.read({ kinds: ['sign_in'], clientId: clientId!, ...at }, { after, limit }, (grant) =>
            this.sessionsAtClient(grant, issuer),
          )
        : await this.pages.read(
            { kinds: ['session'], userId, ...at },
            { after, limit },
            await this.sessionReader(userId, clientId),
          );
    return { sessions: items, ...more };
  }

  /** Ends one session of a user. Returns `false` if the user has no active session with this ID. */
  async endSession({ userId, id }: { userId: string | number; id: string }): Promise<boolean> {
    const filter = parseGrantFilter({ userId, grantId: id });
    const isEnded = (await this.context.storage.revokeGrants({ kinds: ['session'], ...filter })) > 0;
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
    const { storage, overridable } = this.context;
    const { userId: owner, clientId, issuer } = parseGrantFilter(selection);
    if (owner !== undefined && clientId === undefined) {
      // None of the user's pending logins may become a session later.
      const at = issuer === undefined ? {} : { issuer };
      await storage.revokeGrants({ kinds: ['pending_login'], userId: owner, ...at });
    }
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
   * Returns a function that returns the session of a grant in a list. If a client is passed, the list is empty for a
   * session without a sign-in at this client.
   */
  private async sessionReader(userId: string, clientId?: string): Promise<(grant: GrantRow) => ListedSession[]> {
    if (clientId === undefined) return sessionsIn;
    const sids = new Set<string>();
    const read = (grant: GrantRow) => {
      sids.add(readSessionClient(grant).sid);
      return [];
    };
    await this.pages.read({ kinds: ['sign_in'], userId, clientId }, {}, read);
    return (grant) => {
      const session = listedSession(grant);
      return session.sid !== undefined && sids.has(session.sid) ? [session] : [];
    };
  }

  /** Returns the user's sessions with the `sid` of a sign-in at a client. */
  private async sessionsAtClient(grant: GrantRow, issuer: string | undefined): Promise<ListedSession[]> {
    const { sid, userId } = readSessionClient(grant);
    const at = issuer === undefined ? {} : { issuer };
    const { items } = await this.pages.read({ kinds: ['session'], userId, ...at }, { limit: 1000 }, sessionsIn);
    return items.filter((session) => session.sid === sid);
  }
}

/** Returns a list with the session that a grant represents. */
const sessionsIn = (grant: GrantRow): ListedSession[] => [listedSession(grant)];
