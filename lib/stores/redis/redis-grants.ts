import { InvalidArgumentError } from '../../errors/index.js';
import type { GrantFilter, GrantPage, GrantRow } from '../contract/storage.js';
import type { RunScript } from './connection.js';
import { revocationMember, revocationMembers, isCurrentGeneration, type Keys } from './keys.js';
import {
  DROP_LIST,
  END_GENERATION,
  REVOKE_USER_GRANTS,
  FIND_REVOCATIONS,
  FIND_GRANT,
  FIND_CLIENT_STATE,
  LEAVE_LIST,
  LIST_AFTER,
  LIST_PAGE,
  REVOKE_GRANT,
} from './scripts.js';

/** Milliseconds for which the generation of a client that is not saved is kept, unless it has grants. */
const DAY = '86400000';

/**
 * A grant with the generations that its client and its user had when it was saved. It was not revoked by its own ID.
 */
interface StoredGrant extends GrantRow {
  generation: string;
  userGeneration: string | null;
  /** Whether the grant has not expired, by the clock of Redis. */
  isUnexpired: boolean;
}

/**
 * Stores each grant under a Redis key. Stores the IDs of the grants of each user, and of each client, in a sorted set.
 */
export class RedisGrants {
  constructor(
    private readonly run: RunScript,
    private readonly keys: Keys,
  ) {}

  async revoke(filter: GrantFilter): Promise<number> {
    const { grantId, userId, clientId, issuer } = filter;
    if (clientId !== undefined && (grantId ?? userId ?? issuer) === undefined) {
      await this.run(END_GENERATION, this.keys.client(clientId), DAY);
      return Number(await this.run(DROP_LIST, this.keys.grantsOf('client', clientId)));
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
   * Revokes the grants of a user, or those of one client or issuer among them, in one step. Then removes them from
   * their lists, in the background if all grants of the user are revoked. Returns how many grants were revoked, of the
   * user's whole list in that case.
   */
  private async endOfUser(filter: GrantFilter & { userId: string }): Promise<number> {
    const { userId, clientId, issuer } = filter;
    const listed = Number(
      await this.run(REVOKE_USER_GRANTS, this.keys.grantsOf('user', userId), revocationMember(filter)),
    );
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

  /** Whether a grant is stored and was not revoked by its ID, or with all grants of its client or user. */
  async has(id: string): Promise<boolean> {
    for await (const grants of this.active({ grantId: id })) return grants.length > 0;
    return false;
  }

  /** Returns the active grants of a user for which tokens were issued, the most recently used first. */
  async ofUser(userId: string): Promise<GrantRow[]> {
    const grantsById = new Map<string, GrantRow>();
    for await (const grants of this.active({ userId })) {
      for (const { generation, userGeneration, isUnexpired, ...grant } of grants) {
        if (grant.lastUsedAt && isUnexpired) grantsById.set(grant.id, grant);
      }
    }
    return [...grantsById.values()].toSorted((a, b) => b.lastUsedAt! - a.lastUsedAt!);
  }

  /**
   * Returns a page of active grants, in the order of their expiry. A grant that is extended meanwhile may appear again
   * on a later page.
   */
  async page(filter: GrantFilter, after: string | undefined, limit: number): Promise<GrantPage> {
    const { grantId } = filter;
    const entries = grantId === undefined ? await this.listed(filter, after, limit) : [[grantId, '']];
    const cursors = new Map(entries.map(([id, score]) => [id!, `${score!}:${id!}`]));
    const stored = await this.matchingOf([...cursors.keys()], filter);
    const grants = (await this.states(stored))
      .filter(({ grant, isOfClient, isOfUser }) => isOfClient && isOfUser && grant.isUnexpired)
      .map(({ grant: { generation, userGeneration, isUnexpired, ...grant } }) => ({
        grant,
        cursor: cursors.get(grant.id)!,
      }));
    const isLast = grantId !== undefined || entries.length < limit;
    return isLast ? { grants } : { grants, next: cursors.get(entries.at(-1)![0]!)! };
  }

  private async listed({ userId, clientId }: GrantFilter, after: string | undefined, limit: number) {
    const position = after === undefined ? [] : /^(\d+(?:\.\d+)?(?:e\+\d+)?):(.+)$/s.exec(after)?.slice(1);
    if (!position) throw new InvalidArgumentError('Invalid argument: `after` must be the `next` of the previous page');
    const list = userId === undefined ? this.keys.grantsOf('client', clientId!) : this.keys.grantsOf('user', userId);
    const flat = (await this.run(LIST_AFTER, list, String(limit), ...position)) as string[];
    return flat.flatMap((id, index) => (index % 2 === 0 ? [[id, flat[index + 1]!]] : []));
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
  private async leaveLists({ id, clientId, userId }: GrantRow): Promise<boolean> {
    const lists = this.keys.lists(clientId, userId);
    const left = await Promise.all(lists.map((list) => this.run(LEAVE_LIST, list, id)));
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
   * Yields batches of the grants that match the filter and were not revoked by their own ID. They may have been revoked
   * with their client or user. A grant may appear twice, and none is omitted.
   */
  private async *matching(filter: GrantFilter): AsyncIterable<StoredGrant[]> {
    for await (const ids of this.candidates(filter)) yield await this.matchingOf(ids, filter);
  }

  private async matchingOf(ids: readonly string[], { grantId, userId, clientId, issuer }: GrantFilter) {
    const stored = (await Promise.all(ids.map((id) => this.find(id)))).filter((grant) => grant !== undefined);
    return stored.filter(
      (grant) =>
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
      const { clientId, userId, issuer } = grant;
      const [generation, revocations] = await Promise.all([
        once(`client ${clientId}`, () => this.generation(clientId)),
        userId === null
          ? null
          : once(`user ${JSON.stringify([userId, clientId, issuer])}`, () => this.endings(userId, clientId, issuer)),
      ]);
      const isOfUser = revocations === null || isCurrentGeneration(grant.userGeneration, revocations);
      return { grant, isOfClient: grant.generation === generation, isOfUser };
    };
    return Promise.all(grants.map(stateOf));
  }

  private async *candidates({ grantId, userId, clientId }: GrantFilter): AsyncIterable<string[]> {
    if (grantId !== undefined) {
      yield [grantId];
      return;
    }
    let cursor = '0';
    do {
      const list = userId === undefined ? this.keys.grantsOf('client', clientId!) : this.keys.grantsOf('user', userId);
      const [next, idsAndMoments] = (await this.run(LIST_PAGE, list, cursor)) as [string, string[]];
      // Members that begin with NUL are not grants: they record revocations.
      yield idsAndMoments.filter((id, index) => index % 2 === 0 && !id.startsWith('\0'));
      cursor = next;
    } while (cursor !== '0');
  }

  private async generation(clientId: string): Promise<string> {
    const [, generation] = (await this.run(FIND_CLIENT_STATE, this.keys.client(clientId))) as [unknown, string];
    return generation;
  }

  private async endings(userId: string, clientId: string, issuer: string | null): Promise<(string | null)[]> {
    const list = this.keys.grantsOf('user', userId);
    return (await this.run(FIND_REVOCATIONS, list, ...revocationMembers(clientId, issuer))) as (string | null)[];
  }

  /** Returns a grant, or `undefined` if it does not exist or was revoked by its ID. */
  private async find(id: string): Promise<StoredGrant | undefined> {
    const fields = (await this.run(FIND_GRANT, this.keys.grant(id))) as (string | null)[];
    const [clientId, userId = null, issuer = null, scope = null, data = null, ...state] = fields;
    const [createdAt, lastUsedAt, expiresAt, revokedAt, generation, userGeneration = null, now] = state;
    if (typeof clientId !== 'string' || revokedAt !== '') return undefined;
    return {
      id,
      clientId,
      userId,
      issuer,
      scope,
      data,
      createdAt: Number(createdAt),
      lastUsedAt: lastUsedAt ? Number(lastUsedAt) : null,
      expiresAt: Number(expiresAt),
      generation: String(generation),
      userGeneration,
      isUnexpired: Number(expiresAt) > Number(now),
    };
  }
}
