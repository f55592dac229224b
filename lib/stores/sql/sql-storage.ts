import type { Count } from '../../model/counts.js';
import { DAY, GRANT_GRACE_PERIOD } from '../contract/schema.js';
import type {
  ConsumedRow,
  GrantKind,
  GrantRow,
  Row,
  RowKind,
  RowKinds,
  Storage,
  StoredRow,
} from '../contract/storage.js';
import { isRevokedBefore } from '../contract/not-before.js';
import { isStorable, requireStorable } from './client-table.js';
import { Counters } from './counters.js';
import type { Database } from './database.js';
import { GrantTable } from './grant-table.js';
import { InsertedRows } from './inserted-rows.js';
import type { TableNames } from './table-names.js';
import { markOnce, readText, replaceText } from './standalone-rows.js';
import { pruneTable } from './prune.js';
import { type DatabaseRecord, newRow, readRow, ROW } from './records.js';
import { rowLookups } from './row-lookups.js';
import { join, paddedKeys, type Sql, sql } from './sql.js';
import { isRejected } from './statement-errors.js';

/** A grant that is saved together with rows. */
export interface SavedGrant {
  readonly grant: GrantRow;
  readonly rows: readonly Row[];
}

/**
 * Stores codes, tokens and other rows in a table. A row is active only while its grant is, which every look-up
 * verifies. So revoking a grant changes one row, and also covers rows that are saved at the same time or later.
 */
export abstract class SqlStorage extends GrantTable implements Storage {
  private readonly lookups: ReturnType<typeof rowLookups>;
  private readonly saveNew: (saved: SavedGrant) => Promise<void>;

  constructor(
    database: Database,
    names: TableNames,
    private readonly storesClients: boolean,
  ) {
    super(database, names);
    const { revision } = this;
    const rowsOf = (rows: Sql, digests: readonly string[]) => this.rowsOf(rows, digests);
    this.lookups = rowLookups(database, this, { storesClients, revision, rowsOf });
    this.saveNew = database.batched({
      runOne: ({ grant, rows }) => this.saveOne(grant, rows),
      runMany: async (all) => {
        // All processes lock known grants in the same order.
        await this.saveMany(all.toSorted((one, other) => (one.grant.id < other.grant.id ? -1 : 1)));
        return all.map(() => undefined);
      },
      keyOf: ({ grant }) => grant.id,
      hadNoEffect: isRejected,
    });
  }

  async save(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    if (!grant || rows.length === 0) return this.saveOne(grant, rows);
    requireStorable(grant.clientId);
    if (grant.userId !== null) requireStorable(grant.userId);
    return this.saveNew({ grant, rows });
  }

  abstract consumeAndSave(consumed: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean>;

  async find(kind: RowKind, digest: string): Promise<StoredRow | undefined> {
    const record = await this.lookups.findRow({ kind, digest });
    return record && this.readActive(record);
  }

  insertRow(row: Row): Promise<boolean> {
    return new InsertedRows(this.database, this).insert(row);
  }

  removeRow(row: Row): Promise<boolean> {
    return new InsertedRows(this.database, this).remove(row);
  }

  async listRows(grantId: string, kinds: RowKinds): Promise<StoredRow[]> {
    if (!isStorable(grantId)) return [];
    const rows = (await this.lookups.listRows(grantId, kinds)).map((record) => this.readActive(record));
    return (await Promise.all(rows)).filter((row) => row !== undefined);
  }

  async consume(kind: RowKind, digest: string): Promise<boolean> {
    const count = await this.database.change(sql`UPDATE ${this.tokens} SET revoked_at = ${this.database.now}
      WHERE digest = ${digest} AND kind = ${kind} AND revoked_at IS NULL`);
    return count === 1;
  }

  async update({ kind, digest, data }: Row, to: Row): Promise<boolean> {
    const { now } = this.database;
    const changed = sql`grant_id = ${to.grantId}, user_id = ${to.userId}, scope = ${to.scope}, data = ${to.data}`;
    const expiry = to.lifetime === undefined ? sql`` : sql`, expires_at = ${now} + ${to.lifetime}`;
    const isUnchanged = data === null ? sql`data IS NULL` : sql`data = ${data}`;
    const count = await this.database.change(sql`UPDATE ${this.tokens} SET ${changed}${expiry}
      WHERE digest = ${digest} AND kind = ${kind} AND ${isUnchanged} AND revoked_at IS NULL`);
    return count === 1;
  }

  once(digest: string, seconds: number): Promise<boolean> {
    return markOnce(this.database, this.tokens, digest, seconds);
  }

  count(digest: string, seconds: number, by = 1): Promise<Count> {
    const call = { digest, seconds, by };
    if (by === 0) return this.counters.read(call);
    return by > 0 ? this.counters.add(call) : this.counters.takeBack(call);
  }

  readText(name: string): Promise<string | undefined> {
    return readText(this.database, this.tokens, name);
  }

  replaceText(name: string, old: string | undefined, text: string): Promise<boolean> {
    return replaceText(this.database, this.tokens, { name, old, text });
  }

  async prune(batchSize: number, signal?: AbortSignal): Promise<number> {
    const { database, tokens, grants } = this;
    const { statementStart: now } = database;
    const isExpired = sql`expires_at < ${now}`;
    const isExpiredLongAgo = sql`expires_on <= ${now} / ${DAY} AND expires_at < ${now} - ${GRANT_GRACE_PERIOD}`;
    const count = await pruneTable(database, {
      table: tokens,
      key: sql`digest`,
      condition: isExpired,
      indexColumn: sql`expires_at`,
      batchSize,
      signal,
    });
    const indexColumn = sql`expires_on`;
    const expired = { table: grants, key: sql`id`, condition: isExpiredLongAgo, indexColumn, batchSize, signal };
    const pruned = count + (await pruneTable(database, expired));
    return pruned + (await this.pruneRemovedClients(batchSize, signal));
  }

  /** Returns SQL for the values of a row that is to be inserted. */
  valuesOf(row: Row): Sql {
    return ROW.values(newRow(row, this.database.now));
  }

  /** Returns the row of a record. Returns `undefined` if `revokeBefore()` has revoked its grant. */
  private async readActive(record: DatabaseRecord): Promise<StoredRow | undefined> {
    const row = readRow(record, this.storesClients);
    const times = await this.revocationTimes.get(record['revision'] as string | null);
    const kind = record['grant_kind'] as GrantKind;
    const grant = { kind, issuer: row.issuer, createdAt: Number(record['granted_at']) };
    return isRevokedBefore(times, grant) ? undefined : row;
  }

  protected get counters(): Counters {
    return new Counters(this.database, this.tokens);
  }

  /** Saves a grant and its rows, which is not atomic. */
  protected async saveOne(grant: GrantRow | undefined, rows: readonly Row[]): Promise<void> {
    if (grant) await this.database.change(this.upsertGrant(grant));
    if (rows.length > 0) await this.database.change(this.insertRows(rows));
  }

  /** Saves several grants with different IDs, and their rows. If a statement is rejected, it may be called again. */
  protected async saveMany(all: readonly SavedGrant[]): Promise<void> {
    for (const { grant, rows } of all) await this.saveOne(grant, rows);
  }

  /** Returns a statement that inserts each row whose grant is not revoked. */
  protected insertRows(rows: readonly Row[]): Sql {
    const each = rows.map(
      (row) => sql`SELECT ${ROW.values(newRow(row, this.database.now))} FROM ${this.grants}
      WHERE id = ${row.grantId} AND revoked_at IS NULL`,
    );
    return sql`INSERT INTO ${this.tokens} (${ROW.names}) ${join(each, ' UNION ALL ')}`;
  }

  /** Returns a query for the rows of several digests, made from a query for all rows. */
  protected rowsOf(rows: Sql, digests: readonly string[]): Sql {
    return sql`${rows} AND t.digest IN (${join(paddedKeys(digests))})`;
  }
}
