import { revocationMembers, isCurrentGeneration } from './keys.js';
import { isRevokedBefore, type RevocationTimesByIssuer } from '../not-before.js';
import type { StoredRow, GrantRow, RowKind, Row, ConsumedRow } from '../storage.js';
import {
  BEGIN_GENERATION,
  FIND_REVOCATIONS,
  FIND_CLIENT_STATE,
  FIND_ROW,
  FIND_GRANT_STATE,
  SAVE_GRANT,
  LIST_GRANT,
  LIST_USER_GRANT,
  REMOVE,
  CONSUME,
} from './scripts.js';
import { attemptArguments, type RawRow, RedisStorage, valuesOfGrant } from './redis-storage.js';
import { type TokenHint, TokenHints } from './token-hints.js';

/** For how many milliseconds the moments before which grants are ended are not read again. */
const MOMENTS_KEPT = 1000;

/**
 * On a cluster the keys of one step lie on several nodes, and no script reaches them all. So a step is several scripts, in
 * an order in which none of them does harm if it is the last.
 */
export class RedisClusterStorage extends RedisStorage {
  private readonly hints = new TokenHints();
  private lastMoments?: { read: Promise<RevocationTimesByIssuer>; at: number };

  override async keep(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    await Promise.all([this.keepRows(rows), grant && this.keepNew(grant)]);
  }

  /**
   * What comes of it is kept first: nobody knows of it yet. Then the one step that decides who wins. Whoever fails between
   * the two has lost nothing, and may try again.
   */
  override async consumeAndSave(spent: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    await Promise.all([this.keepRows(rows), this.list(grant), this.keepGrant(grant, '', '')]);
    if ((await this.run(CONSUME, this.keys.row(spent.kind, spent.digest), ...attemptArguments(spent))) === 1)
      return true;
    await Promise.all(rows.map(({ kind, digest }) => this.run(REMOVE, this.keys.row(kind, digest))));
    return false;
  }

  override async find(kind: RowKind, digest: string): Promise<StoredRow | undefined> {
    const hint = this.hints.get(digest);
    const [found, moments, hinted] = await Promise.all([
      this.findRow(kind, digest),
      this.currentMoments(),
      hint && this.findOwners(hint),
    ]);
    if (!found) return undefined;
    if (kind === 'access' && !hint) this.hints.set(digest, found);
    const { isAlive, client, createdAt } = hinted ?? (await this.findOwners(found));
    if (!isAlive || isRevokedBefore(moments, kind, { issuer: found.issuer, createdAt })) return undefined;
    return this.withClient(found, client);
  }

  private async findRow(kind: RowKind, digest: string): Promise<StoredRow | undefined> {
    const found = (await this.run(FIND_ROW, this.keys.row(kind, digest))) as RawRow | null;
    return found ? this.read({ kind, digest }, found, null) : undefined;
  }

  /**
   * The moments before which grants are ended, as they were a second ago at most: they lie on one node of the cluster, which
   * would have to answer for every look-up otherwise.
   */
  protected override currentMoments(): Promise<RevocationTimesByIssuer> {
    const now = performance.now();
    if (!this.lastMoments || now - this.lastMoments.at >= MOMENTS_KEPT) {
      const read = super.currentMoments();
      this.lastMoments = { read, at: now };
      // A failure is not remembered.
      read.catch(() => delete this.lastMoments);
    }
    return this.lastMoments.read;
  }

  /** Returns whether the grant is alive, and its client. */
  private async findOwners({ grantId, clientId, userId, issuer }: TokenHint) {
    const list = userId !== null && this.keys.grantsOf('user', userId);
    const [[revokedAt, made, userGeneration, createdAt], [client, generation], ended] = (await Promise.all([
      this.run(FIND_GRANT_STATE, this.keys.grant(grantId)),
      this.run(FIND_CLIENT_STATE, this.keys.client(clientId)),
      list && this.run(FIND_REVOCATIONS, list, ...revocationMembers(clientId, issuer)),
    ])) as [(string | null)[], (string | null)[], (string | null)[] | false];
    const isUsers = !ended || isCurrentGeneration(userGeneration!, ended);
    return { isAlive: revokedAt === '' && made === generation && isUsers, client, createdAt: Number(createdAt) };
  }

  /** Saves a grant with generations that were read first: if its client or user is ended meanwhile, it is dead. */
  private async keepNew(grant: GrantRow): Promise<void> {
    const client = this.run(BEGIN_GENERATION, this.keys.client(grant.clientId)) as Promise<string>;
    const [generation, userGeneration] = await Promise.all([client, this.list(grant)]);
    await this.keepGrant(grant, generation, userGeneration);
  }

  private async keepGrant(grant: GrantRow, generation: string, userGeneration: string): Promise<void> {
    await this.run(SAVE_GRANT, this.keys.grant(grant.id), generation, userGeneration, ...valuesOfGrant(grant));
  }

  /** Adds a grant to its lists. Returns the generation of its user, or an empty string if it has no user. */
  private async list({ id, clientId, userId, ...grant }: GrantRow): Promise<string> {
    const [ttl] = valuesOfGrant({ ...grant, id, clientId, userId });
    const ofClient = this.keys.lists(clientId, null).map((list) => this.run(LIST_GRANT, list, id, ttl!));
    const ofUser = userId !== null && this.run(LIST_USER_GRANT, this.keys.grantsOf('user', userId), id, ttl!);
    const [, generation] = await Promise.all([Promise.all(ofClient), ofUser]);
    return generation ? String(generation) : '';
  }
}
