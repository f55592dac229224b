import type { GrantFilter, GrantRow } from '../storage.js';
import type { RunScript } from './connection.js';
import { FIND_GRANT, IS_ALIVE, KEEP_GRANT, LIST_GRANT, LIST_PAGE, REVOKE_GRANT } from './scripts.js';

/** A grant outlives what hangs on it by so many milliseconds: what is being issued meanwhile still finds it revoked. */
const MARGIN = 60_000;

/** A key for each grant, and lists of the grants of each user and client: sorted sets of their ids. */
export class RedisGrants {
  constructor(
    private readonly run: RunScript,
    private readonly prefix: string,
  ) {}

  /** Puts a grant on the lists, and keeps it: none that anybody knows of is missing there. What is revoked stays so. */
  async keep({ id, clientId, userId, scope, createdAt, lastUsedAt, expiresAt }: GrantRow): Promise<void> {
    const until = String(expiresAt + MARGIN);
    const lists = [this.list('client', clientId)];
    if (userId !== null) lists.push(this.list('user', userId));
    const listed = lists.map((key) => this.run(LIST_GRANT, key, until, id, String(Date.now())));
    const names = Object.entries({ clientId, userId, scope, createdAt }).filter(([, value]) => value !== null);
    const values = [String(lastUsedAt ?? ''), String(expiresAt), until, ...names.flat().map(String)];
    await Promise.all([this.run(KEEP_GRANT, this.key(id), ...values), ...listed]);
  }

  async isAlive(id: string): Promise<boolean> {
    return (await this.run(IS_ALIVE, this.key(id))) === 1;
  }

  async revoke(id: string, now: number): Promise<number> {
    return Number(await this.run(REVOKE_GRANT, this.key(id), String(now)));
  }

  async revokeAll(filter: GrantFilter, now: number): Promise<number> {
    let count = 0;
    for await (const ids of this.candidates(filter)) {
      const isRevoked = async (id: string) => ((await this.isMatch(id, filter)) ? this.revoke(id, now) : 0);
      for (const one of await Promise.all(ids.map(isRevoked))) count += one;
    }
    return count;
  }

  /** Those of a user that are alive and have been used, the latest first. */
  async ofUser(userId: string, now: number): Promise<GrantRow[]> {
    const grants = new Map<string, GrantRow>();
    for await (const ids of this.candidates({ userId })) {
      for (const grant of await Promise.all(ids.map((id) => this.find(id)))) {
        if (grant?.lastUsedAt && grant.revokedAt === null && grant.expiresAt >= now) grants.set(grant.id, grant);
      }
    }
    return [...grants.values()].toSorted((a, b) => b.lastUsedAt! - a.lastUsedAt!);
  }

  private async find(id: string): Promise<GrantRow | undefined> {
    const fields = (await this.run(FIND_GRANT, this.key(id))) as (string | null)[];
    const [clientId, userId = null, scope = null, createdAt, lastUsedAt, expiresAt, revokedAt] = fields;
    if (typeof clientId !== 'string') return undefined;
    return {
      id,
      clientId,
      userId,
      scope,
      createdAt: Number(createdAt),
      lastUsedAt: lastUsedAt ? Number(lastUsedAt) : null,
      expiresAt: Number(expiresAt),
      revokedAt: revokedAt ? Number(revokedAt) : null,
    };
  }

  /** Pages of ids: each grant that is on the list all the while, perhaps more than once, and some that are over. */
  private async *candidates({ grantId, userId, clientId }: GrantFilter): AsyncIterable<string[]> {
    if (grantId !== undefined) {
      yield [grantId];
      return;
    }
    const key = userId === undefined ? this.list('client', clientId!) : this.list('user', userId);
    let cursor = '0';
    do {
      const [next, idsAndMoments] = (await this.run(LIST_PAGE, key, cursor)) as [string, string[]];
      yield idsAndMoments.filter((_, index) => index % 2 === 0);
      cursor = next;
    } while (cursor !== '0');
  }

  private async isMatch(id: string, { grantId, userId, clientId }: GrantFilter): Promise<boolean> {
    // A grant is on the list of nobody but its user and its client.
    if (grantId === undefined && (userId === undefined || clientId === undefined)) return true;
    const grant = await this.find(id);
    return (
      grant !== undefined &&
      (userId === undefined || grant.userId === userId) &&
      (clientId === undefined || grant.clientId === clientId)
    );
  }

  private key(id: string): string {
    return `${this.prefix}grant:${id}`;
  }

  private list(kind: 'client' | 'user', id: string): string {
    return `${this.prefix}grants-of-${kind}:${id}`;
  }
}
