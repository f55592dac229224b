import { InvalidArgumentError } from '../errors/index.js';
import type { GrantList, GrantSelection, GrantsModel, ListedGrant, Paging } from '../model/grants.js';
import type { Awaitable, User } from '../model/model.js';
import type { ListedSession, SessionList, SessionListModel } from '../model/session-list.js';
import { isConsent } from './consent.js';
import { isCurrent } from './credential.js';
import { readFilter } from './grant-filter.js';
import { isSessionClient, sessionIn } from './session-client.js';
import { SessionClientStore } from './session-client-store.js';
import { isPendingLogin, isSessionGrant, listedSession } from './session-row.js';
import type { GrantFilter, GrantRow, Storage } from './storage.js';
import { isReserved, sessionClientsOf } from './user-records.js';

/** Number of grants that are read at a time. */
const BATCH = 500;

/** The part of a store that lists grants and sessions by user and by client. */
export abstract class GrantListStore<S extends Storage>
  extends SessionClientStore<S>
  implements Pick<GrantsModel, 'pageGrants'>, SessionListModel
{
  async pageGrants({ after, limit, ...selection }: GrantSelection & Paging): Promise<GrantList> {
    const { items, ...more } = await this.page(readFilter(selection), { after, limit }, (grant) => listedGrants(grant));
    return { grants: items, ...more };
  }

  async listSessions({ after, limit, ...selection }: GrantSelection & Paging): Promise<SessionList> {
    const filter = readFilter(selection);
    const { userId, clientId, issuer } = filter;
    const isOfUser = userId !== undefined;
    const read = isOfUser
      ? await this.sessionReader(userId, clientId)
      : (grant: GrantRow) => this.sessionsAtClient(grant, issuer);
    const where: GrantFilter = isOfUser ? { userId } : { clientId: clientId! };
    if (issuer !== undefined) where.issuer = issuer;
    const { items, ...more } = await this.page(where, { after, limit }, read);
    return { sessions: items, ...more };
  }

  async endSession({ userId, id }: { userId: string | number; id: string }): Promise<boolean> {
    const filter = readFilter({ userId, grantId: id });
    const { grants } = await this.storage.pageGrants(filter, undefined, 1);
    return grants.some(({ grant }) => isSessionGrant(grant)) && (await this.storage.revokeGrants(filter)) > 0;
  }

  async endSessions({ except, ...selection }: GrantSelection & { except?: string }): Promise<number> {
    await this.endPendingLogins(readFilter(selection));
    let count = 0;
    for (let after: string | undefined; ;) {
      const page: SessionList = await this.listSessions({
        ...selection,
        ...(after !== undefined && { after }),
        limit: BATCH,
      });
      for (const { id, userId } of page.sessions) {
        if (id !== except && (await this.endSession({ userId, id }))) count += 1;
      }
      if (page.next === undefined) return count;
      after = page.next;
    }
  }

  /** Ends logins of a user that wait for a second factor, so that none of them becomes a session afterwards. */
  private async endPendingLogins({ userId, clientId, issuer }: GrantFilter): Promise<void> {
    if (userId === undefined || clientId !== undefined) return;
    const filter: GrantFilter = issuer === undefined ? { userId } : { userId, issuer };
    for (let after: string | undefined; ;) {
      const page = await this.storage.pageGrants(filter, after, BATCH);
      for (const { grant } of page.grants) {
        if (isPendingLogin(grant)) await this.storage.revokeGrants({ userId, grantId: grant.id });
      }
      if (page.next === undefined) return;
      after = page.next;
    }
  }

  /** Reads grants page by page until there are enough entries. */
  private async page<T>(
    filter: GrantFilter,
    { after, limit = 100 }: Paging,
    read: (grant: GrantRow) => Awaitable<readonly T[]>,
  ): Promise<{ items: T[]; next?: string }> {
    if (!(Number.isInteger(limit) && limit > 0 && limit <= 1000)) {
      throw new InvalidArgumentError('Invalid argument: `limit` must be 1 to 1000');
    }
    const items: T[] = [];
    const users = new Map<string, Promise<User | undefined>>();
    for (let last: string | undefined = after; ;) {
      const page = await this.storage.pageGrants(filter, last, BATCH);
      for (const { grant, cursor } of page.grants) {
        if (items.length >= limit) return { items, next: last! };
        if (await this.hasCurrentPassword(grant, users)) items.push(...(await read(grant)));
        last = cursor;
      }
      if (page.next === undefined) return { items };
      last = page.next;
    }
  }

  /** Whether the user's password is still the one with which the grant was given. */
  private async hasCurrentPassword(grant: GrantRow, users: Map<string, Promise<User | undefined>>): Promise<boolean> {
    const { userId } = grant;
    if (!this.users.credentialOf || userId === null || isReserved(userId)) return true;
    if (!users.has(userId))
      users.set(
        userId,
        Promise.resolve(this.users.findById(userId)).then((user) => user || undefined),
      );
    const user = await users.get(userId);
    return user !== undefined && isCurrent(this.users, user, grant);
  }

  /** Reads sessions of a user; with a client, those in which the user signed in at that client. */
  private async sessionReader(userId: string, clientId?: string): Promise<(grant: GrantRow) => ListedSession[]> {
    if (clientId === undefined) return sessionsIn;
    const sids = new Set<string>();
    const read = (grant: GrantRow) => {
      if (isSessionClient(grant)) sids.add(sessionIn(grant).sid);
      return [];
    };
    await this.page({ userId: sessionClientsOf(userId), clientId }, {}, read);
    return (grant) => {
      const session = isSessionGrant(grant) ? listedSession(grant) : undefined;
      return session?.sid !== undefined && sids.has(session.sid) ? [session] : [];
    };
  }

  /** The sessions in which a user signed in at a client, by the grant that remembers the latter. */
  private async sessionsAtClient(grant: GrantRow, issuer: string | undefined): Promise<ListedSession[]> {
    if (!isSessionClient(grant)) return [];
    const { sid, userId } = sessionIn(grant);
    if (userId === undefined) return [];
    const filter = issuer === undefined ? { userId } : { userId, issuer };
    const { items } = await this.page(filter, { limit: 1000 }, sessionsIn);
    return items.filter((session) => session.sid === sid);
  }
}

/** The session that a grant is for, if it is for one. */
const sessionsIn = (grant: GrantRow): ListedSession[] => (isSessionGrant(grant) ? [listedSession(grant)] : []);

/** The grant as it is listed, if it is one that has tokens. */
function listedGrants(grant: GrantRow): ListedGrant[] {
  const { id, clientId, userId, issuer, scope, createdAt, lastUsedAt, expiresAt } = grant;
  if (lastUsedAt === null || isConsent(grant) || isSessionClient(grant)) return [];
  return [
    {
      id,
      clientId,
      ...(userId !== null && { userId }),
      ...(issuer !== null && { issuer }),
      ...(scope !== null && { scope }),
      createdAt: new Date(createdAt),
      lastUsedAt: new Date(lastUsedAt),
      expiresAt: new Date(expiresAt),
    },
  ];
}
