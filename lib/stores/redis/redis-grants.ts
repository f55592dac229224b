import { ALL_KINDS, isWholeClient } from '../contract/grant-kinds.js';
import type { GrantFilter, GrantKinds, GrantPage, GrantRow } from '../contract/storage.js';
import type { RunScript } from './connection.js';
import { readPage } from './list-page.js';
import { revocationMember, revocationMembers, isCurrentGeneration, type Keys } from './keys.js';
import { readGrant, type StoredGrant } from './stored-grant.js';
import {
  DROP_LIST,
  END_GENERATION,
  REVOKE_USER_GRANTS,
  FIND_REVOCATIONS,
  FIND_GRANT,
  FIND_CLIENT_STATE,
  LEAVE_LIST,
  LIST_PAGE,
  REMOVE,
  REVOKE_GRANT,
} from './scripts.js';

/** Milliseconds for which the generation of a client that is not saved is kept, unless it has grants. */
const DAY = '86400000';

/**
 * Stores each grant under a Redis key. Stores the IDs of the grants of each client, and those of each user and kind, in a
 * sorted set. So a list of consents never reads tokens.
 */
export class RedisGrants {
  constructor(
    private readonly run: RunScript,
    private readonly keys: Keys,
    private readonly isCluster: boolean,
  ) {}

  async revoke(filter: GrantFilter): Promise<number> {
    const { kinds, grantId, userId, clientId, issuer } = filter;
    if (clientId !== undefined && (grantId ?? userId ?? issuer) === undefined && isWholeClient(kinds)) {
      await this.run(END_GENERATION, this.keys.client(clientId), DAY);
      return Number(await this.run(DROP_LIST, this.keys.ofClient(clientId)));
    }
    if (userId !== undefined && grantId === undefined) return this.endOfUser({ ...filter, userId });
    let count = 0;
    for await (const grants of this.active(filter)) {
      const revoked = await Promise.all(grants.map((grant) => this.revokeOne(grant)));
      count += revoked.filter(Boolean).length;
    }
    return count;
  }

  /**
   * Revokes the grants of a user, or those of one client or issuer among them, in one step. On a cluster, that is one
   * step for each kind. Then removes them from their lists, in the background if all grants of the kinds are revoked.
   * Returns how many grants were revoked, of the user's whole lists in that case.
   */
  private async endOfUser(filter: GrantFilter & { userId: string }): Promise<number> {
    const { kinds, userId, clientId, issuer } = filter;
    const lists = kinds.map((kind) => this.keys.ofUser(kind, userId));
    let listed = 0;
    for (const keys of this.isCluster ? lists.map((list) => [list]) : [lists]) {
      listed += Number(await this.run(REVOKE_USER_GRANTS, keys, revocationMember(filter)));
    }
    if ((clientId ?? issuer) !== undefined) return this.clear(filter);
    // If the removal fails, the remaining entries expire with their list.
    void this.clear(filter).catch(() => undefined);
    return listed;
  }

  /** Removes revoked grants of a user from their lists. Returns how many of them were active until this revocation. */
  private async clear(filter: GrantFilter): Promise<number> {
    let count = 0;
    for await (const grants of this.matching(filter)) {
      const states = await this.states(grants);
      const revoked = states.filter(({ isOfClient, isOfUser }) => !isOfClient || !isOfUser);
      const left = await Promise.all(revoked.map(({ grant }) => this.leaveLists(grant)));
      count += revoked.filter(({ isOfClient }, index) => isOfClient && left[index]).length;
    }
    return count;
  }

  /** Returns when an active grant began. Returns `undefined` if the grant does not exist or was revoked. */
  async beginningOf(id: string): Promise<number | undefined> {
    for await (const grants of this.active({ kinds: ALL_KINDS, grantId: id })) return grants[0]?.createdAt;
    return undefined;
  }

  /** Returns grants that match a filter. No list contains a grant that was revoked by its ID: the filter has the ID. */
  async toErase(filter: GrantFilter, limit: number): Promise<GrantRow[]> {
    const found: GrantRow[] = [];
    for await (const grants of this.matching(filter, { revoked: true })) {
      found.push(...grants);
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  /** Deletes a grant and removes it from its lists. */
  async delete(grant: GrantRow): Promise<void> {
    await this.run(REMOVE, this.keys.grant(grant.id));
    await this.leaveLists(grant);
  }

  /** Whether a grant is stored and was not revoked by its ID, or with all grants of its client or user. */
  async has(id: string): Promise<boolean> {
    return (await this.beginningOf(id)) !== undefined;
  }

  /** Returns the active grants of a user for which tokens were issued, the most recently used first. */
  async ofUser(userId: string, kinds: GrantKinds): Promise<GrantRow[]> {
    const grantsById = new Map<string, GrantRow>();
    for await (const grants of this.active({ kinds, userId })) {
      for (const { generation, userGeneration, isUnexpired, ...grant } of grants) {
        if (grant.lastUsedAt && isUnexpired) grantsById.set(grant.id, grant);
      }
    }
    return [...grantsById.values()].toSorted((a, b) => b.lastUsedAt! - a.lastUsedAt!);
  }

  /** Returns a page of active grants. A grant that is extended meanwhile may appear again on a later page. */
  async page(filter: GrantFilter, after: string | undefined, limit: number): Promise<GrantPage> {
    const { grantId: one } = filter;
    const isList = one === undefined;
    const { cursors, ...more } = isList
      ? await readPage(this.run, this.listsOf(filter), after, limit)
      : { cursors: new Map([[one, '']]) };
    const stored = await this.matchingOf([...cursors.keys()], filter);
    const grants = (await this.states(stored))
      .filter(({ grant, isOfClient, isOfUser }) => isOfClient && isOfUser && grant.isUnexpired)
      .map(({ grant: { generation, userGeneration, isUnexpired, ...grant } }) => ({
        grant,
        cursor: cursors.get(grant.id)!,
      }));
    return { grants, ...more };
  }

  /** Returns the keys of the lists that contain the grants of a user or, if the filter has none, of a client. */
  private listsOf({ kinds, userId, clientId }: GrantFilter): string[] {
    if (userId !== undefined) return kinds.map((kind) => this.keys.ofUser(kind, userId));
    return clientId === undefined ? [] : [this.keys.ofClient(clientId)];
  }

  private async revokeOne(grant: GrantRow): Promise<boolean> {
    if ((await this.run(REVOKE_GRANT, this.keys.grant(grant.id))) !== 1) return false;
    await this.leaveLists(grant);
    return true;
  }

  /**
   * Removes a grant from its lists. Returns whether the last list contained it: that of its user or, if it has no user,
   * that of its client.
   */
  private async leaveLists(grant: GrantRow): Promise<boolean> {
    const lists = this.keys.lists(grant);
    const left = await Promise.all(lists.map((list) => this.run(LEAVE_LIST, list, grant.id)));
    return left.at(-1) === 1;
  }

  /** Yields batches of the active grants that match the filter. A grant may appear twice, and none is omitted. */
  private async *active(filter: GrantFilter): AsyncIterable<StoredGrant[]> {
    for await (const grants of this.matching(filter)) {
      const states = await this.states(grants);
      yield states.filter(({ isOfClient, isOfUser }) => isOfClient && isOfUser).map(({ grant }) => grant);
    }
  }

  /**
   * Yields batches of the grants that match the filter and, without `revoked`, were not revoked by their own ID. They may
   * have been revoked with their client or user. A grant may appear twice, and none is omitted.
   */
  private async *matching(filter: GrantFilter, which: { revoked?: boolean } = {}): AsyncIterable<StoredGrant[]> {
    for await (const ids of this.candidates(filter)) yield await this.matchingOf(ids, filter, which);
  }

  private async matchingOf(ids: readonly string[], filter: GrantFilter, which: { revoked?: boolean } = {}) {
    const { kinds, grantId, userId, clientId, issuer } = filter;
    const stored = await Promise.all(ids.map((id) => this.find(id, which)));
    return stored.filter(
      (grant): grant is StoredGrant =>
        grant !== undefined &&
        kinds.includes(grant.kind) &&
        (grantId === undefined || grant.id === grantId) &&
        (userId === undefined || grant.userId === userId) &&
        (clientId === undefined || grant.clientId === clientId) &&
        (issuer === undefined || grant.issuer === issuer),
    );
  }

  /**
   * Returns for each grant whether it was revoked with all grants of its client, and with grants of its user. The
   * generations of each client and user are read only once.
   */
  private async states(grants: readonly StoredGrant[]) {
    const read = new Map<string, Promise<unknown>>();
    const once = <T>(key: string, find: () => Promise<T>): Promise<T> => {
      if (!read.has(key)) read.set(key, find());
      return read.get(key) as Promise<T>;
    };
    const stateOf = async (grant: StoredGrant) => {
      const { kind, clientId, userId, issuer } = grant;
      const [generation, revocations] = await Promise.all([
        once(`client ${clientId}`, () => this.generation(clientId)),
        userId === null
          ? null
          : once(`user ${JSON.stringify([kind, userId, clientId, issuer])}`, () => this.endings({ ...grant, userId })),
      ]);
      const isOfUser = revocations === null || isCurrentGeneration(grant.userGeneration, revocations);
      return { grant, isOfClient: grant.generation === generation, isOfUser };
    };
    return Promise.all(grants.map(stateOf));
  }

  private async *candidates(filter: GrantFilter): AsyncIterable<string[]> {
    if (filter.grantId !== undefined) {
      yield [filter.grantId];
      return;
    }
    for (const list of this.listsOf(filter)) {
      let cursor = '0';
      do {
        const [next, idsAndMoments] = (await this.run(LIST_PAGE, list, cursor)) as [string, string[]];
        // Members that begin with NUL are not grants: they record revocations.
        yield idsAndMoments.filter((id, index) => index % 2 === 0 && !id.startsWith('\0'));
        cursor = next;
      } while (cursor !== '0');
    }
  }

  private async generation(clientId: string): Promise<string> {
    const [, generation] = (await this.run(FIND_CLIENT_STATE, this.keys.client(clientId))) as [unknown, string];
    return generation;
  }

  private async endings({ kind, userId, clientId, issuer }: GrantRow & { userId: string }): Promise<(string | null)[]> {
    const list = this.keys.ofUser(kind, userId);
    return (await this.run(FIND_REVOCATIONS, list, ...revocationMembers(clientId, issuer))) as (string | null)[];
  }

  /** Returns a grant, or `undefined` if it does not exist or, without `revoked`, was revoked by its ID. */
  private async find(id: string, which: { revoked?: boolean }): Promise<StoredGrant | undefined> {
    return readGrant(id, (await this.run(FIND_GRANT, this.keys.grant(id))) as (string | null)[], which);
  }
}
