import { randomUUID } from 'node:crypto';

import { FOREVER } from '../../tokens/lifetime.js';
import type { Count } from '../../model/counts.js';
import type {
  StoredRow,
  GrantFilter,
  GrantKind,
  GrantKinds,
  GrantPage,
  GrantRow,
  RowKind,
  RowKinds,
  Row,
  ConsumedRow,
  Storage,
} from '../contract/storage.js';
import {
  isRevokedBefore,
  RevocationTimesCache,
  withoutRevokedBefore,
  type RevocationTimesByIssuer,
  NOT_BEFORE,
} from '../contract/not-before.js';
import type { StoredClient } from '../contract/ports.js';
import type { RunScript } from './connection.js';
import { UPDATE } from './row-scripts.js';
import { InsertedRows } from './inserted-rows.js';
import { Keys, timeToLive } from './keys.js';
import { RedisClients } from './redis-clients.js';
import { RedisGrants } from './redis-grants.js';
import { CONSUME, CONSUME_AND_SAVE, FIND, SAVE, SAVE_ROW } from './scripts.js';
import { COUNT, ONCE, READ_REVISION, READ_TEXT, REPLACE_TEXT } from './value-scripts.js';

/**
 * A stored row, the milliseconds until it expires (-1: never), and the time of the server in milliseconds since the
 * epoch.
 */
export type RawRow = [row: string, ttl: number, now: number];

/**
 * The storage on one Redis server: one key for each code, token, grant and client. Each method is one script on all its
 * keys.
 */
export class RedisStorage extends RedisClients implements Storage {
  protected readonly revocationTimes = new RevocationTimesCache(() => this.readText(NOT_BEFORE));
  private readonly grants: RedisGrants;
  private readonly insertedRows: InsertedRows;

  /**
   * @param storesClients whether the clients are stored in Redis too, and not by the application
   * @param isCluster whether a script may access one key only
   */
  constructor(
    run: RunScript,
    prefix: string,
    protected readonly storesClients: boolean,
    isCluster = false,
  ) {
    const keys = new Keys(prefix);
    super(run, keys);
    this.grants = new RedisGrants(run, keys, isCluster);
    const find = (kind: RowKind, digest: string) => this.find(kind, digest);
    this.insertedRows = new InsertedRows(run, keys, this.grants, { find, valuesOf: valuesOfRow });
  }

  async save(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    if (!grant) await this.saveRows(rows);
    else await this.run(SAVE, this.keysOf(grant, rows), ...this.valuesOf(grant, rows));
  }

  async consumeAndSave(consumed: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    const keys = [this.keys.row(consumed.kind, consumed.digest), ...this.keysOf(grant, rows)];
    return (await this.run(CONSUME_AND_SAVE, keys, ...attemptArguments(consumed), ...this.valuesOf(grant, rows))) === 1;
  }

  async find(kind: RowKind, digest: string): Promise<StoredRow | undefined> {
    const textKey = this.keys.text(NOT_BEFORE);
    const reply = (await this.run(FIND, this.keys.row(kind, digest), this.keys.prefix, textKey)) as
      [...RawRow, client: string | null, createdAt: string, revision: string, kind: GrantKind] | null;
    if (!reply) return undefined;
    const row = this.read({ kind, digest }, reply, reply[3]);
    const grant = { kind: reply[6], issuer: row.issuer, createdAt: Number(reply[4]) };
    return isRevokedBefore(await this.revocationTimes.get(reply[5]), grant) ? undefined : row;
  }

  async consume(kind: RowKind, digest: string): Promise<boolean> {
    return (await this.run(CONSUME, this.keys.row(kind, digest), ...attemptArguments({ kind, digest }))) === 1;
  }

  async update(from: Row, to: Row): Promise<boolean> {
    const key = this.keys.row(from.kind, from.digest);
    const lifetime = to.lifetime === undefined ? '' : String(Math.max(1, Math.ceil(to.lifetime)));
    return (await this.run(UPDATE, key, valuesOfRow(from)[0]!, valuesOfRow(to)[0]!, lifetime)) === 1;
  }

  insertRow(row: Row): Promise<boolean> {
    return this.insertedRows.insert(row);
  }

  removeRow(row: Row): Promise<boolean> {
    return this.insertedRows.remove(row);
  }

  listRows(grantId: string, kinds: RowKinds): Promise<StoredRow[]> {
    return this.insertedRows.list(grantId, kinds);
  }

  eraseGrants(filter: GrantFilter, limit: number): Promise<number> {
    return this.insertedRows.erase(filter, limit);
  }

  async once(digest: string, seconds: number): Promise<boolean> {
    const milliseconds = String(Math.ceil(seconds * 1000));
    return (await this.run(ONCE, this.keys.row('once', digest), randomUUID(), milliseconds)) === 1;
  }

  async count(digest: string, seconds: number, by = 1): Promise<Count> {
    const milliseconds = String(Math.ceil(seconds * 1000));
    const reply = await this.run(COUNT, this.keys.row('count', digest), String(by), milliseconds);
    const [count, expiresIn] = reply as [number, number];
    return { count, expiresIn };
  }

  async readText(name: string): Promise<string | undefined> {
    return ((await this.run(READ_TEXT, this.keys.text(name))) as string | null) ?? undefined;
  }

  async replaceText(name: string, old: string | undefined, text: string): Promise<boolean> {
    return (await this.run(REPLACE_TEXT, this.keys.text(name), old ?? '', text)) === 1;
  }

  revokeGrants(filter: GrantFilter): Promise<number> {
    return this.grants.revoke(filter);
  }

  hasGrant(id: string): Promise<boolean> {
    return this.grants.has(id);
  }

  async listGrants(userId: string, kinds: GrantKinds): Promise<GrantRow[]> {
    const [grants, times] = await Promise.all([this.grants.ofUser(userId, kinds), this.currentRevocationTimes()]);
    return withoutRevokedBefore(times, grants);
  }

  async pageGrants(filter: GrantFilter, after: string | undefined, limit: number): Promise<GrantPage> {
    const [page, times] = await Promise.all([this.grants.page(filter, after, limit), this.currentRevocationTimes()]);
    const active = new Set(
      withoutRevokedBefore(
        times,
        page.grants.map(({ grant }) => grant),
      ),
    );
    return { ...page, grants: page.grants.filter(({ grant }) => active.has(grant)) };
  }

  /** Returns 0: Redis deletes expired keys itself, and lists are pruned as they grow. */
  async prune(): Promise<number> {
    return 0;
  }

  /** Returns the times before which `revokeBefore()` has revoked grants, by issuer. */
  protected async currentRevocationTimes(): Promise<RevocationTimesByIssuer> {
    return this.revocationTimes.get((await this.run(READ_REVISION, this.keys.text(NOT_BEFORE))) as string);
  }

  /**
   * Parses a row that Redis returned. Its expiry is computed from the remaining time, so that the clock of this process
   * does not matter.
   */
  protected read(
    key: { kind: RowKind; digest: string },
    [row, ttl, now]: readonly [...RawRow, ...unknown[]],
    client: unknown,
  ) {
    const start = row.indexOf('{');
    const stored = Object.assign(JSON.parse(row.slice(start)) as StoredRow, key);
    stored.expiresAt = ttl < 0 ? FOREVER : Date.now() + ttl;
    delete (stored as { insertion?: string }).insertion;
    stored.revokedAt = null;
    if (start > 0) {
      const [at, , data] = row.slice(0, start).split(' ');
      stored.revokedAt = Number(at);
      stored.revokedAgo = now - stored.revokedAt;
      if (data !== '-') stored.data = Buffer.from(data!, 'base64url').toString();
    }
    return this.withClient(stored, client);
  }

  protected withClient(stored: StoredRow, client: unknown): StoredRow {
    if (this.storesClients) stored.client = typeof client === 'string' ? (JSON.parse(client) as StoredClient) : null;
    return stored;
  }

  protected async saveRows(rows: readonly Row[]): Promise<void> {
    await Promise.all(rows.map((row) => this.run(SAVE_ROW, this.keys.row(row.kind, row.digest), ...valuesOfRow(row))));
  }

  private keysOf(grant: GrantRow, rows: readonly Row[]): string[] {
    const { keys } = this;
    const lists = keys.lists(grant);
    return [
      keys.grant(grant.id),
      keys.client(grant.clientId),
      ...lists,
      ...rows.map((row) => keys.row(row.kind, row.digest)),
    ];
  }

  private valuesOf(grant: GrantRow, rows: readonly Row[]): string[] {
    const [ttl, isUsed, ...fields] = valuesOfGrant(grant);
    const lists = String(this.keys.lists(grant).length);
    const isUsers = grant.userId === null ? '0' : '1';
    return [grant.id, lists, isUsers, ttl!, isUsed!, String(fields.length), ...fields, ...rows.flatMap(valuesOfRow)];
  }
}

/**
 * Returns the script arguments to mark a row as used: a random ID of this attempt, and the new data, or `-` if it
 * stays.
 */
export function attemptArguments({ data }: ConsumedRow): string[] {
  return [randomUUID(), data === undefined ? '-' : Buffer.from(data).toString('base64url')];
}

/**
 * Returns the script arguments to save a grant: its remaining time, whether tokens are issued for it now, and the
 * fields for the case that it is new.
 */
export function valuesOfGrant({ id, createdAt, lastUsedAt, expiresAt, ...texts }: GrantRow): string[] {
  const fields = Object.entries(texts).filter(([, value]) => value !== null);
  return [timeToLive(expiresAt), lastUsedAt === null ? '0' : '1', ...(fields.flat() as string[])];
}

function valuesOfRow({ grantId, clientId, userId, issuer, scope, data, expiresAt, lifetime }: Row): string[] {
  const ttl = lifetime === undefined ? timeToLive(expiresAt) : String(Math.max(0, Math.ceil(lifetime)));
  return [JSON.stringify({ grantId, clientId, userId, issuer, scope, data }), ttl];
}
