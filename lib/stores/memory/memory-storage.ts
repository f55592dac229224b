import type { Count } from '../../model/counts.js';
import { unavailable } from '../../remote/unavailable.js';
import type { StoredClient } from '../contract/ports.js';
import { isWholeClient } from '../contract/grant-kinds.js';
import { GRANT_GRACE_PERIOD } from '../contract/schema.js';
import type {
  StoredRow,
  GrantFilter,
  GrantKinds,
  GrantPage,
  GrantRow,
  RowKind,
  Row,
  RowKinds,
  ConsumedRow,
  Storage,
} from '../contract/storage.js';
import { isRevokedBefore, withoutRevokedBefore, parseRevocationTimes, NOT_BEFORE } from '../contract/not-before.js';
import { ExpiringMap } from './expiring-map.js';
import { MemoryCounters } from './memory-counters.js';
import { isMatch, UserIndex } from './user-index.js';
import { MemoryClients } from './memory-clients.js';

/**
 * A grant with its generation: the number of times that all grants of its client had been revoked when it was saved.
 */
interface MemoryGrant extends GrantRow {
  generation: number;
  revokedAt: number | null;
}

/** A row, with the time of its use by a monotonic clock. */
interface MemoryRow extends Row {
  revokedAt: number | null;
  consumedAt: number;
}

/** Stores rows in maps. Each method is atomic, since it awaits nothing between reading and writing. */
export class MemoryStorage extends MemoryClients implements Storage {
  /** The rows of each kind. The map of a kind is created when its first row is saved. */
  private readonly rows: Partial<Record<RowKind, ExpiringMap<MemoryRow>>> = {};
  private readonly grants: ExpiringMap<MemoryGrant>;
  private readonly byUser: UserIndex<MemoryGrant>;
  private readonly onceValues: ExpiringMap<{ expiresAt: number }>;
  private readonly counters: MemoryCounters;
  private readonly texts = new Map<string, string>();
  private revocationTimes = parseRevocationTimes(undefined);

  constructor(
    private readonly limit: number,
    clients: readonly StoredClient[],
  ) {
    super(clients);
    this.grants = new ExpiringMap(limit, GRANT_GRACE_PERIOD);
    this.byUser = new UserIndex(this.grants);
    this.onceValues = new ExpiringMap(limit);
    this.counters = new MemoryCounters(limit);
  }

  save(grant: GrantRow | undefined, rows: readonly Row[]): void {
    if (grant && !this.saveGrant(grant)) return;
    for (const { lifetime, ...row } of rows) {
      const expiresAt = lifetime === undefined ? row.expiresAt : Date.now() + lifetime;
      this.rowsOf(row.kind).set(row.digest, { ...row, expiresAt, revokedAt: null, consumedAt: 0 });
    }
  }

  consumeAndSave({ kind, digest, data }: ConsumedRow, grant: GrantRow, rows: readonly Row[]): boolean {
    if (!this.consume(kind, digest)) return false;
    if (data !== undefined) this.rowsOf(kind).get(digest)!.data = data;
    this.save(grant, rows);
    return true;
  }

  find(kind: RowKind, digest: string): StoredRow | undefined {
    const row = this.rowsOf(kind).get(digest);
    const grant = row && this.grants.get(row.grantId);
    // If the grant is missing, it may have been revoked before it was removed.
    if (!row || !this.isActive(grant)) return undefined;
    if (isRevokedBefore(this.revocationTimes, grant!)) return undefined;
    return row.revokedAt === null ? { ...row } : { ...row, revokedAgo: performance.now() - row.consumedAt };
  }

  consume(kind: RowKind, digest: string): boolean {
    const row = this.rowsOf(kind).get(digest);
    if (!row || row.revokedAt !== null) return false;
    row.revokedAt = Date.now();
    row.consumedAt = performance.now();
    return true;
  }

  update({ kind, digest, data }: Row, to: Row): boolean {
    const row = this.rowsOf(kind).get(digest);
    if (!row || row.revokedAt !== null || row.data !== data) return false;
    const { grantId, userId, scope, lifetime } = to;
    const expiresAt = lifetime === undefined ? row.expiresAt : Date.now() + lifetime;
    // The row is replaced by a copy, since callers of `find()` may still use the old object.
    this.rowsOf(kind).set(digest, { ...row, grantId, userId, scope, data: to.data, expiresAt });
    return true;
  }

  insertRow(row: Row): boolean {
    const { kind, digest, grantId } = row;
    const current = this.find(kind, digest);
    if ((current && current.expiresAt > Date.now()) || !this.hasGrant(grantId)) return false;
    this.save(undefined, [row]);
    return true;
  }

  removeRow({ kind, digest, grantId, data }: Row): boolean {
    const row = this.rowsOf(kind).get(digest);
    const isSame = row?.revokedAt === null && row.grantId === grantId && row.data === data;
    return isSame && this.rowsOf(kind).delete(digest);
  }

  listRows(grantId: string, kinds: RowKinds): StoredRow[] {
    const now = Date.now();
    const isListed = (row: MemoryRow) => row.grantId === grantId && row.revokedAt === null && row.expiresAt > now;
    const rows = kinds.flatMap((kind) => [...this.rowsOf(kind).values()].filter(isListed));
    return rows.flatMap(({ kind, digest }) => this.find(kind, digest) ?? []);
  }

  eraseGrants(filter: GrantFilter, limit: number): number {
    const { kinds, grantId, userId } = filter;
    const grants = [...(grantId === undefined ? this.candidates(userId, kinds) : [this.grants.get(grantId)])];
    const erased = grants.flatMap((grant) => (grant && isMatch(grant, filter) ? grant : [])).slice(0, limit);
    const ids = new Set(erased.map((grant) => this.byUser.erase(grant)));
    for (const rows of Object.values(this.rows))
      for (const row of rows.values()) if (ids.has(row.grantId)) rows.delete(row.digest);
    return ids.size;
  }

  once(digest: string, seconds: number): boolean {
    const now = Date.now();
    if ((this.onceValues.get(digest)?.expiresAt ?? 0) > now) return false;
    // Removing a recent value would allow its replay, and attackers could fill the map to cause that.
    if (this.onceValues.isFull(now))
      throw unavailable('The store cannot remember more single-use values: its `limit` is reached', 1);
    this.onceValues.set(digest, { expiresAt: now + seconds * 1000 });
    return true;
  }

  count(digest: string, seconds: number, by = 1): Count {
    return this.counters.add(digest, Math.ceil(seconds * 1000), by);
  }

  readText(name: string): string | undefined {
    return this.texts.get(name);
  }

  replaceText(name: string, old: string | undefined, text: string): boolean {
    if (this.texts.get(name) !== old) return false;
    this.texts.set(name, text);
    if (name === NOT_BEFORE) this.revocationTimes = parseRevocationTimes(text);
    return true;
  }

  revokeGrants(filter: GrantFilter): number {
    const { kinds, grantId, userId, clientId, issuer } = filter;
    const grants = grantId === undefined ? this.candidates(userId, kinds) : [this.grants.get(grantId)];
    let count = 0;
    for (const grant of grants) {
      if (!grant || !this.isActive(grant) || !isMatch(grant, filter)) continue;
      grant.revokedAt = Date.now();
      count += 1;
    }
    const isOnlyClient = (grantId ?? userId ?? issuer) === undefined;
    if (clientId !== undefined && isOnlyClient && isWholeClient(kinds)) this.endGeneration(clientId);
    return count;
  }

  hasGrant(id: string): boolean {
    return this.isActive(this.grants.get(id));
  }

  listGrants(userId: string, kinds: GrantKinds): GrantRow[] {
    const now = Date.now();
    const grants = [...this.candidates(userId, kinds)].filter(
      (grant) => grant.lastUsedAt && this.isActive(grant) && grant.expiresAt >= now,
    );
    return structuredClone(
      withoutRevokedBefore(this.revocationTimes, grants).toSorted((a, b) => b.lastUsedAt! - a.lastUsedAt!),
    );
  }

  pageGrants(filter: GrantFilter, after: string | undefined, limit: number): GrantPage {
    const now = Date.now();
    const matching = [...this.grants.values()]
      .filter((grant) => grant.id > (after ?? '') && isMatch(grant, filter))
      .filter((grant) => this.isActive(grant) && grant.expiresAt >= now)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
    const grants = withoutRevokedBefore(this.revocationTimes, matching).map((grant) => ({
      grant: { ...grant },
      cursor: grant.id,
    }));
    return matching.length < limit ? { grants } : { grants, next: matching.at(-1)!.id };
  }

  prune(): number {
    const now = Date.now();
    const maps = [...Object.values(this.rows), this.grants, this.onceValues, this.counters];
    const count = maps.reduce((sum, map) => sum + map.prune(now), 0);
    this.byUser.prune();
    const clientIds = new Set([...this.grants.values()].map(({ clientId }) => clientId));
    return count + this.pruneRemoved((id) => clientIds.has(id));
  }

  private rowsOf(kind: RowKind): ExpiringMap<MemoryRow> {
    return (this.rows[kind] ??= new ExpiringMap(this.limit));
  }

  /** Returns the grants of a user with these kinds, found by the index. If `userId` is `undefined`, returns all grants. */
  private candidates(userId: string | undefined, kinds: GrantKinds): Iterable<MemoryGrant> {
    return userId === undefined ? this.grants.values() : this.byUser.grantsOf(userId, kinds);
  }

  /** Saves or extends a grant. Returns `false` if the grant was revoked. */
  private saveGrant(grant: GrantRow): boolean {
    const known = this.grants.get(grant.id);
    if (!known) {
      this.grants.set(grant.id, {
        ...grant,
        createdAt: Date.now(),
        generation: this.generationOf(grant.clientId),
        revokedAt: null,
      });
      this.byUser.add(grant);
      return true;
    }
    if (!this.isActive(known)) return false;
    known.lastUsedAt = grant.lastUsedAt ?? known.lastUsedAt;
    known.expiresAt = Math.max(known.expiresAt, grant.expiresAt);
    return true;
  }

  private isActive(grant: MemoryGrant | undefined): boolean {
    return grant !== undefined && grant.revokedAt === null && grant.generation === this.generationOf(grant.clientId);
  }
}
