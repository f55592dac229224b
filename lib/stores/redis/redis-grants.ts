import type { GrantFilter, GrantRow } from '../storage.js';
import type { RunScript } from './connection.js';
import { type Keys, timeToLive } from './keys.js';
import { DROP_LIST, END_GENERATION, FIND_GRANT, FIND_OWNER, LEAVE_LIST, LIST_PAGE, REVOKE_GRANT } from './scripts.js';

/** A grant as it is found, with the generation of its client when it was made. */
interface FoundGrant extends GrantRow {
  generation: string;
}

/** A key for each grant, and lists of the grants of each user and client: sorted sets of their ids. */
export class RedisGrants {
  constructor(
    private readonly run: RunScript,
    private readonly keys: Keys,
  ) {}

  async revoke(filter: GrantFilter): Promise<number> {
    const { grantId, userId, clientId, issuer } = filter;
    if (clientId !== undefined && (grantId ?? userId ?? issuer) === undefined) {
      await this.run(END_GENERATION, this.keys.client(clientId));
      return Number(await this.run(DROP_LIST, this.keys.grantsOf('client', clientId)));
    }
    let count = 0;
    for await (const grants of this.alive(filter)) {
      const revoked = await Promise.all(grants.map((grant) => this.revokeOne(grant)));
      count += revoked.filter(Boolean).length;
    }
    return count;
  }

  /** Those of a user that are alive and have been used, the latest first. */
  async ofUser(userId: string): Promise<GrantRow[]> {
    const found = new Map<string, GrantRow>();
    for await (const grants of this.alive({ userId })) {
      for (const { generation, ...grant } of grants) {
        if (grant.lastUsedAt && timeToLive(grant.expiresAt) !== '0') found.set(grant.id, grant);
      }
    }
    return [...found.values()].toSorted((a, b) => b.lastUsedAt! - a.lastUsedAt!);
  }

  private async revokeOne({ id, clientId, userId }: GrantRow): Promise<boolean> {
    if ((await this.run(REVOKE_GRANT, this.keys.grant(id))) !== 1) return false;
    await Promise.all(this.keys.lists(clientId, userId).map((list) => this.run(LEAVE_LIST, list, id)));
    return true;
  }

  /** Pages of grants: each one that is on the list all the while, perhaps more than once. */
  private async *alive(filter: GrantFilter): AsyncIterable<FoundGrant[]> {
    const { grantId, userId, clientId, issuer } = filter;
    for await (const ids of this.candidates(filter)) {
      const found = (await Promise.all(ids.map((id) => this.find(id)))).filter((grant) => grant !== undefined);
      const clients = [...new Set(found.map((grant) => grant.clientId))];
      const generations = new Map(
        await Promise.all(clients.map(async (id) => [id, await this.generation(id)] as const)),
      );
      yield found.filter(
        (grant) =>
          grant.generation === generations.get(grant.clientId) &&
          (grantId === undefined || grant.id === grantId) &&
          (userId === undefined || grant.userId === userId) &&
          (clientId === undefined || grant.clientId === clientId) &&
          (issuer === undefined || grant.issuer === issuer),
      );
    }
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
      yield idsAndMoments.filter((_, index) => index % 2 === 0);
      cursor = next;
    } while (cursor !== '0');
  }

  private async generation(clientId: string): Promise<string> {
    const [, generation] = (await this.run(FIND_OWNER, this.keys.client(clientId))) as [unknown, string];
    return generation;
  }

  /** One that was not revoked. */
  private async find(id: string): Promise<FoundGrant | undefined> {
    const fields = (await this.run(FIND_GRANT, this.keys.grant(id))) as (string | null)[];
    const [clientId, userId = null, issuer = null, scope = null, data = null, ...state] = fields;
    const [createdAt, lastUsedAt, expiresAt, revokedAt, generation] = state;
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
    };
  }
}
