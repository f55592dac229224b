import { setImmediate as tick } from 'node:timers/promises';

import {
  type Count,
  type ClientPage,
  type ClientStorage,
  type StoredRow,
  type GrantFilter,
  type GrantKinds,
  type GrantPage,
  type GrantRow,
  isRevokedBefore,
  isWholeClient,
  type ClientRecord,
  type RowKind,
  type RowKinds,
  withoutRevokedBefore,
  parseRevocationTimes,
  NOT_BEFORE,
  type Row,
  type ConsumedRow,
  type Storage,
  type StoredClient,
} from 'nest-oauth2/stores';

/** A grant, with the number of times that all grants of its client had been revoked when it was saved. */
type SavedGrant = GrantRow & { generation: number; isRevoked: boolean };
type SavedRow = Row & { revokedAt: number | null };

/**
 * The smallest storage that fulfills the contract, as an application would implement it for its own database. Each
 * method waits once, as for a database, and then does all of its work in one synchronous block, as a transaction does.
 */
export class MapStorage implements Storage, ClientStorage {
  private readonly grants = new Map<string, SavedGrant>();
  private readonly rows = new Map<string, SavedRow>();
  private readonly texts = new Map<string, string>();
  private readonly used = new Map<string, number>();
  private readonly counters = new Map<string, { count: number; expiresAt: number }>();
  private readonly clients = new Map<string, { client: StoredClient; createdAt: number }>();
  private readonly removed = new Set<string>();
  /** How often all grants of a client were revoked. */
  private readonly generations = new Map<string, number>();

  async save(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    await tick();
    this.write(grant, rows);
  }

  async consumeAndSave({ kind, digest, data }: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    await tick();
    const row = this.rows.get(keyOf(kind, digest));
    if (!row || row.revokedAt !== null) return false;
    Object.assign(row, { revokedAt: Date.now() }, data !== undefined && { data });
    this.write(grant, rows);
    return true;
  }

  async find(kind: RowKind, digest: string): Promise<StoredRow | undefined> {
    await tick();
    const row = this.rows.get(keyOf(kind, digest));
    const grant = row && this.grants.get(row.grantId);
    if (!row || !grant || !this.isActive(grant) || isRevokedBefore(this.moments(), grant)) return undefined;
    return { ...row };
  }

  async consume(kind: RowKind, digest: string): Promise<boolean> {
    await tick();
    const row = this.rows.get(keyOf(kind, digest));
    if (!row || row.revokedAt !== null) return false;
    row.revokedAt = Date.now();
    return true;
  }

  async update(from: Row, { grantId, userId, scope, data, lifetime }: Row): Promise<boolean> {
    await tick();
    const row = this.rows.get(keyOf(from.kind, from.digest));
    if (!row || row.revokedAt !== null || row.data !== from.data) return false;
    Object.assign(
      row,
      { grantId, userId, scope, data },
      lifetime !== undefined && { expiresAt: Date.now() + lifetime },
    );
    return true;
  }

  async insertRow(row: Row): Promise<boolean> {
    await tick();
    const taken = this.rows.get(keyOf(row.kind, row.digest));
    const grant = taken && this.grants.get(taken.grantId);
    if (taken && grant && taken.expiresAt > Date.now() && this.isActive(grant)) return false;
    const owner = this.grants.get(row.grantId);
    if (!owner || !this.isActive(owner)) return false;
    this.write(undefined, [row]);
    return true;
  }

  async removeRow({ kind, digest, grantId, data }: Row): Promise<boolean> {
    await tick();
    const row = this.rows.get(keyOf(kind, digest));
    const isSame = row?.revokedAt === null && row.grantId === grantId && row.data === data;
    return isSame && this.rows.delete(keyOf(kind, digest));
  }

  async listRows(grantId: string, kinds: RowKinds): Promise<StoredRow[]> {
    const rows = [...this.rows.values()].filter((row) => row.grantId === grantId && kinds.includes(row.kind));
    const found = await Promise.all(rows.map(({ kind, digest }) => this.find(kind, digest)));
    return found.filter(
      (row) => row !== undefined && row.revokedAt === null && row.expiresAt > Date.now(),
    ) as StoredRow[];
  }

  async eraseGrants(filter: GrantFilter, limit: number): Promise<number> {
    await tick();
    const erased = [...this.grants.values()].filter((grant) => isMatch(grant, filter)).slice(0, limit);
    for (const { id } of erased) this.grants.delete(id);
    for (const [key, { grantId }] of this.rows) if (!this.grants.has(grantId)) this.rows.delete(key);
    return erased.length;
  }

  async once(digest: string, seconds: number): Promise<boolean> {
    await tick();
    if ((this.used.get(digest) ?? 0) > Date.now()) return false;
    this.used.set(digest, Date.now() + seconds * 1000);
    return true;
  }

  async count(digest: string, seconds: number, by = 1): Promise<Count> {
    await tick();
    const now = Date.now();
    let counter = this.counters.get(digest);
    if (!counter || counter.expiresAt <= now) {
      if (by <= 0) return { count: 0, expiresIn: 0 };
      this.counters.set(digest, (counter = { count: 0, expiresAt: now + seconds * 1000 }));
    }
    counter.count = Math.max(0, counter.count + by);
    return { count: counter.count, expiresIn: counter.expiresAt - now };
  }

  async readText(name: string): Promise<string | undefined> {
    await tick();
    return this.texts.get(name);
  }

  async replaceText(name: string, old: string | undefined, text: string): Promise<boolean> {
    await tick();
    if (this.texts.get(name) !== old) return false;
    this.texts.set(name, text);
    return true;
  }

  async revokeGrants(filter: GrantFilter): Promise<number> {
    await tick();
    const active = [...this.grants.values()].filter((grant) => this.isActive(grant) && isMatch(grant, filter));
    for (const grant of active) grant.isRevoked = true;
    const { kinds, clientId, ...others } = filter;
    const isOnlyClient = clientId !== undefined && Object.keys(others).length === 0;
    if (isOnlyClient && isWholeClient(kinds)) this.endGrantsOf(clientId);
    return active.length;
  }

  async hasGrant(id: string): Promise<boolean> {
    await tick();
    const grant = this.grants.get(id);
    return grant !== undefined && this.isActive(grant);
  }

  async listGrants(userId: string, kinds: GrantKinds): Promise<GrantRow[]> {
    await tick();
    const grants = this.current({ kinds, userId }).filter(({ lastUsedAt }) => lastUsedAt !== null);
    return withoutRevokedBefore(this.moments(), grants).toSorted((a, b) => b.lastUsedAt! - a.lastUsedAt!);
  }

  async pageGrants(filter: GrantFilter, after: string | undefined, limit: number): Promise<GrantPage> {
    await tick();
    const read = this.current(filter)
      .filter(({ id }) => id > (after ?? ''))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
    const grants = withoutRevokedBefore(this.moments(), read).map((grant) => ({ grant, cursor: grant.id }));
    return read.length < limit ? { grants } : { grants, next: read.at(-1)!.id };
  }

  async prune(): Promise<number> {
    await tick();
    const expired = [...this.rows].filter(([, { expiresAt }]) => expiresAt < Date.now());
    for (const [key] of expired) this.rows.delete(key);
    return expired.length;
  }

  async findClient(id: string): Promise<ClientRecord | undefined> {
    await tick();
    const saved = this.clients.get(id);
    return saved && { ...structuredClone(saved), readAt: Date.now(), version: saved };
  }

  async saveClient(client: StoredClient, found: ClientRecord | undefined, endsGrants: boolean): Promise<boolean> {
    await tick();
    if (this.clients.get(client.id) !== found?.version) return false;
    this.clients.set(client.id, { client: copyOf(client), createdAt: found?.createdAt ?? Date.now() });
    // A new client must not get the grants of a removed client with its ID.
    if (endsGrants || (!found && this.removed.has(client.id))) this.endGrantsOf(client.id);
    return true;
  }

  async addNewClient(client: StoredClient): Promise<boolean> {
    await tick();
    if (this.clients.has(client.id) || this.removed.has(client.id)) return false;
    this.clients.set(client.id, { client: copyOf(client), createdAt: Date.now() });
    return true;
  }

  async removeClient(id: string): Promise<boolean> {
    await tick();
    this.removed.add(id);
    this.endGrantsOf(id);
    return this.clients.delete(id);
  }

  async listClients(after: string, limit: number): Promise<ClientPage> {
    await tick();
    const ids = [...this.clients.keys()].filter((id) => byBytes(id, after) > 0).toSorted(byBytes);
    const page = ids.slice(0, limit);
    const found = await Promise.all(page.map((id) => this.findClient(id)));
    const clients = found.filter((client) => client !== undefined);
    return ids.length > limit ? { clients, next: page.at(-1)! } : { clients };
  }

  async readClock(): Promise<number> {
    await tick();
    return Date.now();
  }

  private write(grant: GrantRow | undefined, rows: readonly Row[]): void {
    if (grant) this.saveGrant(grant);
    for (const { lifetime, ...row } of rows) {
      const expiresAt = lifetime === undefined ? row.expiresAt : Date.now() + lifetime;
      this.rows.set(keyOf(row.kind, row.digest), { ...row, expiresAt, revokedAt: null });
    }
  }

  private saveGrant(grant: GrantRow): void {
    const known = this.grants.get(grant.id);
    const generation = this.generations.get(grant.clientId) ?? 0;
    if (!known) this.grants.set(grant.id, { ...grant, createdAt: Date.now(), generation, isRevoked: false });
    if (!known) return;
    known.lastUsedAt = grant.lastUsedAt ?? known.lastUsedAt;
    known.expiresAt = Math.max(known.expiresAt, grant.expiresAt);
  }

  private endGrantsOf(clientId: string): void {
    this.generations.set(clientId, (this.generations.get(clientId) ?? 0) + 1);
  }

  private isActive({ isRevoked, clientId, generation }: SavedGrant): boolean {
    return !isRevoked && generation === (this.generations.get(clientId) ?? 0);
  }

  private current(filter: GrantFilter): GrantRow[] {
    const now = Date.now();
    const found = [...this.grants.values()].filter(
      (grant) => isMatch(grant, filter) && this.isActive(grant) && grant.expiresAt >= now,
    );
    return found.map(({ generation, isRevoked, ...grant }) => grant);
  }

  private moments() {
    return parseRevocationTimes(this.texts.get(NOT_BEFORE));
  }
}

const keyOf = (kind: RowKind, digest: string) => `${kind} ${digest}`;
const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
const copyOf = (client: StoredClient) => JSON.parse(JSON.stringify(client)) as StoredClient;

const isMatch = (grant: GrantRow, { kinds, grantId, ...filter }: GrantFilter) =>
  kinds.includes(grant.kind) &&
  (grantId === undefined || grant.id === grantId) &&
  Object.entries(filter).every(([name, value]) => grant[name as keyof typeof filter] === value);
