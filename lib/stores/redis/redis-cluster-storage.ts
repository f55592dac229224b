import type { Found, GrantRow, Kind, Row, Spending } from '../storage.js';
import {
  BEGIN_GENERATION,
  FIND_OWNER,
  FIND_ROW,
  FIND_STATE,
  KEEP_GRANT,
  LIST_GRANT,
  REMOVE,
  SPEND,
} from './scripts.js';
import { attempt, type FoundRow, RedisStorage, valuesOfGrant } from './redis-storage.js';
import { TokenHints } from './token-hints.js';

/**
 * On a cluster the keys of one step lie on several nodes, and no script reaches them all. So a step is several scripts, in
 * an order in which none of them does harm if it is the last.
 */
export class RedisClusterStorage extends RedisStorage {
  private readonly hints = new TokenHints();

  override async keep(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    await Promise.all([this.keepRows(rows), grant && this.list(grant), grant && this.keepNew(grant)]);
  }

  /**
   * What comes of it is kept first: nobody knows of it yet. Then the one step that decides who wins. Whoever fails between
   * the two has lost nothing, and may try again.
   */
  override async exchange(spent: Spending, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    await Promise.all([this.keepRows(rows), this.list(grant), this.keepGrant(grant, '')]);
    if ((await this.run(SPEND, this.keys.row(spent.kind, spent.digest), ...attempt(spent))) === 1) return true;
    await Promise.all(rows.map(({ kind, digest }) => this.run(REMOVE, this.keys.row(kind, digest))));
    return false;
  }

  override async find(kind: Kind, digest: string): Promise<Found | undefined> {
    const hint = this.hints.get(digest);
    const [found, hinted] = await Promise.all([this.findRow(kind, digest), hint && this.findOwners(hint)]);
    if (!found) return undefined;
    if (kind === 'access' && !hint) this.hints.set(digest, found);
    const { isAlive, client } = hinted ?? (await this.findOwners(found));
    return isAlive ? this.withClient(found, client) : undefined;
  }

  private async findRow(kind: Kind, digest: string): Promise<Found | undefined> {
    const found = (await this.run(FIND_ROW, this.keys.row(kind, digest))) as FoundRow | null;
    return found ? this.read({ kind, digest }, found, null) : undefined;
  }

  /** Is the grant alive, and who is the client? */
  private async findOwners({ grantId, clientId }: Pick<Row, 'grantId' | 'clientId'>) {
    const [[revokedAt, made], [client, generation]] = (await Promise.all([
      this.run(FIND_STATE, this.keys.grant(grantId)),
      this.run(FIND_OWNER, this.keys.client(clientId)),
    ])) as [(string | null)[], (string | null)[]];
    return { isAlive: revokedAt === '' && made === generation, client };
  }

  private async keepNew(grant: GrantRow): Promise<void> {
    const generation = (await this.run(BEGIN_GENERATION, this.keys.client(grant.clientId))) as string;
    await this.keepGrant(grant, generation);
  }

  private async keepGrant(grant: GrantRow, generation: string): Promise<void> {
    await this.run(KEEP_GRANT, this.keys.grant(grant.id), generation, ...valuesOfGrant(grant));
  }

  private async list(grant: GrantRow): Promise<void> {
    const [ttl] = valuesOfGrant(grant);
    const lists = this.keys.lists(grant.clientId, grant.userId);
    await Promise.all(lists.map((list) => this.run(LIST_GRANT, list, grant.id, ttl!)));
  }
}
