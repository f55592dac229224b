import { revocationMembers, isCurrentGeneration, timeToLive } from './keys.js';
import { isRevokedBefore, type RevocationTimesByIssuer } from '../contract/not-before.js';
import type { StoredRow, GrantKind, GrantRow, RowKind, Row, ConsumedRow } from '../contract/storage.js';
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
import type { RunScript } from './connection.js';
import { type TokenHint, TokenHints } from './token-hints.js';

/** The kinds of grants that rows of a kind usually belong to. Rows of other kinds usually belong to `tokens`. */
const USUAL_KINDS: Readonly<Partial<Record<RowKind, GrantKind>>> = {
  session: 'session',
  registration: 'registration',
  upstream: 'upstream',
};

type Texts = [string | null, string | null, string | null, string | null];

/** Milliseconds for which the times of `revokeBefore()` are cached. */
const CACHE_TIME = 1000;

/**
 * The storage on a Redis cluster. A script can access only one node, but the keys of one method are on several nodes.
 * So each method runs several scripts, in an order that does no harm if the process stops after any of them.
 */
export class RedisClusterStorage extends RedisStorage {
  private readonly hints = new TokenHints();
  private cachedTimes?: { read: Promise<RevocationTimesByIssuer>; at: number };

  constructor(run: RunScript, prefix: string, storesClients: boolean) {
    super(run, prefix, storesClients, true);
  }

  override async save(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    await Promise.all([this.saveRows(rows), grant && this.saveNewGrant(grant)]);
  }

  /**
   * Marks a row as used and saves the new rows. Returns `false` and saves none if the row was already used. The new rows,
   * whose tokens no client knows yet, are saved first, so the client can retry if the process stops in between.
   */
  override async consumeAndSave(consumed: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    await Promise.all([
      this.saveRows(rows),
      this.list(grant),
      this.saveGrant(grant, '', ''),
      this.beginGeneration(grant),
    ]);
    if ((await this.run(CONSUME, this.keys.row(consumed.kind, consumed.digest), ...attemptArguments(consumed))) === 1)
      return true;
    await Promise.all(rows.map(({ kind, digest }) => this.run(REMOVE, this.keys.row(kind, digest))));
    return false;
  }

  override async find(kind: RowKind, digest: string): Promise<StoredRow | undefined> {
    const hint = this.hints.get(digest);
    const [stored, times, hinted] = await Promise.all([
      this.findRow(kind, digest),
      this.currentRevocationTimes(),
      hint && this.findOwners(kind, hint),
    ]);
    if (!stored) return undefined;
    if (kind === 'access' && !hint) this.hints.set(digest, stored);
    const { isActive, client, grant } = hinted ?? (await this.findOwners(kind, stored));
    if (!isActive || isRevokedBefore(times, grant)) return undefined;
    return this.withClient(stored, client);
  }

  private async findRow(kind: RowKind, digest: string): Promise<StoredRow | undefined> {
    const stored = (await this.run(FIND_ROW, this.keys.row(kind, digest))) as RawRow | null;
    return stored ? this.read({ kind, digest }, stored, null) : undefined;
  }

  /**
   * Returns the times of `revokeBefore()`, at most one second old. They are stored on one node of the cluster, which
   * would be overloaded if every look-up read them.
   */
  protected override currentRevocationTimes(): Promise<RevocationTimesByIssuer> {
    const now = performance.now();
    if (!this.cachedTimes || now - this.cachedTimes.at >= CACHE_TIME) {
      const read = super.currentRevocationTimes();
      this.cachedTimes = { read, at: now };
      // A failed read is not cached.
      read.catch(() => delete this.cachedTimes);
    }
    return this.cachedTimes.read;
  }

  /**
   * Returns the state that decides whether the tokens of a grant are valid. A grant is active until it, or all grants
   * of its client or user, are revoked. Also returns the grant's kind and beginning, and its client. The list of the user
   * is read at the same time as the grant, and again if the grant has another kind than rows of this kind usually have.
   */
  private async findOwners(rowKind: RowKind, { grantId, clientId, userId, issuer }: TokenHint) {
    const revocationsOf = (kind: GrantKind) =>
      userId !== null &&
      this.run(FIND_REVOCATIONS, this.keys.ofUser(kind, userId), ...revocationMembers(clientId, issuer));
    const usualKind = USUAL_KINDS[rowKind] ?? 'tokens';
    const [state, [client, generation], read] = (await Promise.all([
      this.run(FIND_GRANT_STATE, this.keys.grant(grantId)),
      this.run(FIND_CLIENT_STATE, this.keys.client(clientId)),
      revocationsOf(usualKind),
    ])) as [[...Texts, GrantKind], (string | null)[], (string | null)[] | false];
    const [revokedAt, made, userGeneration, createdAt, kind] = state;
    const isOther = revokedAt === '' && kind !== usualKind;
    const revocations = isOther ? ((await revocationsOf(kind)) as typeof read) : read;
    const isCurrent = !revocations || isCurrentGeneration(userGeneration, revocations);
    const grant = { kind, issuer, createdAt: Number(createdAt) };
    return { isActive: revokedAt === '' && made === generation && isCurrent, client, grant };
  }

  /**
   * Saves a new grant with the generations of its client and user, which were read before. If all grants of the client
   * or user are revoked meanwhile, the new grant is revoked too.
   */
  private async saveNewGrant(grant: GrantRow): Promise<void> {
    const [generation, userGeneration] = await Promise.all([this.beginGeneration(grant), this.list(grant)]);
    await this.saveGrant(grant, generation, userGeneration);
  }

  /** Returns the generation of the client of a grant, and keeps it as long as the grant. */
  private beginGeneration({ clientId, expiresAt }: GrantRow): Promise<string> {
    return this.run(BEGIN_GENERATION, this.keys.client(clientId), timeToLive(expiresAt)) as Promise<string>;
  }

  private async saveGrant(grant: GrantRow, generation: string, userGeneration: string): Promise<void> {
    await this.run(SAVE_GRANT, this.keys.grant(grant.id), generation, userGeneration, ...valuesOfGrant(grant));
  }

  /**
   * Adds a grant to the lists of its client and its user. Returns the generation of the user's grants, or an empty
   * string if it has no user.
   */
  private async list(grant: GrantRow): Promise<string> {
    const { id, kind, userId } = grant;
    const [ttl] = valuesOfGrant(grant);
    const ofClient = this.keys.lists({ ...grant, userId: null }).map((list) => this.run(LIST_GRANT, list, id, ttl!));
    const ofUser = userId !== null && this.run(LIST_USER_GRANT, this.keys.ofUser(kind, userId), id, ttl!);
    const [, generation] = await Promise.all([Promise.all(ofClient), ofUser]);
    return generation ? String(generation) : '';
  }
}
