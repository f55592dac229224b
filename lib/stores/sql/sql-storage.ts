import { DAY, GRANT_GRACE_PERIOD } from '../schema.js';
import type {
  StoredRow,
  GrantFilter,
  GrantPage,
  GrantRow,
  RowKey,
  RowKind,
  Row,
  ConsumedRow,
  Storage,
} from '../storage.js';
import {
  isRevokedBefore,
  RevocationTimesCache,
  withoutRevokedBefore,
  NOT_BEFORE,
  REVISION_LENGTH,
} from '../not-before.js';
import { ClientTable, isStorable, requireStorable } from './client-table.js';
import type { Database } from './database.js';
import { grantExtension } from './grant-extension.js';
import type { TableNames } from './table-names.js';
import { markOnce, readText, replaceText } from './standalone-rows.js';
import { pruneTable } from './prune.js';
import { type DatabaseRecord, GRANT, newGrant, newRow, readGrant, readRow, ROW } from './records.js';
import { rowLookups } from './row-lookups.js';
import { join, paddedKeys, type Identifier, type Sql, sql, rawSql } from './sql.js';
import { isRejected } from './statement-errors.js';

/** The number to which the revoked grants of a client are counted. */
const MAX_COUNT = 100_000;

/** A grant that is saved together with rows. */
export interface SavedGrant {
  readonly grant: GrantRow;
  readonly rows: readonly Row[];
}

/**
 * Stores codes, tokens and other rows in a table. A row is active only while its grant is, which every look-up
 * verifies. So revoking a grant changes one row, and also covers rows that are saved at the same time or later.
 */
export abstract class SqlStorage extends ClientTable implements Storage {
  readonly grants: Identifier;
  readonly tokens: Identifier;
  /** SQL for the revision of the times of `revokeBefore()`. */
  private readonly revision: Sql;
  private readonly lookUpRow: (key: RowKey) => Promise<DatabaseRecord | undefined>;
  private readonly saveNew: (saved: SavedGrant) => Promise<void>;
  private readonly revocationTimes = new RevocationTimesCache(() => this.readText(NOT_BEFORE));

  constructor(
    database: Database,
    names: TableNames,
    private readonly storesClients: boolean,
  ) {
    super(database, database.table(names.clients));
    this.grants = database.table(names.grants);
    this.tokens = database.table(names.tokens);
    this.revision = sql`(SELECT SUBSTR(n.data, 1, ${rawSql(String(REVISION_LENGTH))}) FROM ${this.tokens} n
      WHERE n.digest = ${rawSql(`'${NOT_BEFORE}'`)} AND n.kind = 'text') AS revision`;
    const rowsOf = (rows: Sql, digests: readonly string[]) => this.rowsOf(rows, digests);
    this.lookUpRow = rowLookups(database, this, { storesClients, revision: this.revision, rowsOf });
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
    const record = await this.lookUpRow({ kind, digest });
    if (!record) return undefined;
    const row = readRow(record, this.storesClients);
    const times = await this.revocationTimes.get(record['revision'] as string | null);
    const grant = { issuer: row.issuer, createdAt: Number(record['granted_at']) };
    return isRevokedBefore(times, kind, grant) ? undefined : row;
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

  readText(name: string): Promise<string | undefined> {
    return readText(this.database, this.tokens, name);
  }

  replaceText(name: string, old: string | undefined, text: string): Promise<boolean> {
    return replaceText(this.database, this.tokens, { name, old, text });
  }

  async revokeGrants(filter: GrantFilter): Promise<number> {
    const { grantId, userId, clientId, issuer } = filter;
    if (![grantId, userId, clientId].every((id = '') => isStorable(id))) return 0;
    if (clientId !== undefined && (grantId ?? userId ?? issuer) === undefined) return this.revokeAllOf(clientId);
    const which = this.activeOf(filter);
    return this.database.change(sql`UPDATE ${this.grants} SET revoked_at = ${this.database.now} WHERE ${which}`);
  }

  async hasGrant(id: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    const rows = await this.database.find(sql`SELECT id FROM ${this.grants} WHERE id = ${id} AND ${this.active}`);
    return rows.length > 0;
  }

  async listGrants(userId: string): Promise<GrantRow[]> {
    if (!isStorable(userId)) return [];
    const rows = await this.database
      .find<DatabaseRecord>(sql`SELECT ${GRANT.names}, ${this.revision} FROM ${this.grants}
      WHERE user_id = ${userId} AND ${this.active} AND last_used_at IS NOT NULL AND expires_at >= ${this.database.now}
      ORDER BY last_used_at DESC`);
    return withoutRevokedBefore(
      await this.revocationTimes.get(rows[0]?.['revision'] as string | null),
      rows.map(readGrant),
    );
  }

  async pageGrants(filter: GrantFilter, after: string | undefined, limit: number): Promise<GrantPage> {
    const { grantId, userId, clientId } = filter;
    if (![grantId, userId, clientId, after].every((id = '') => isStorable(id))) return { grants: [] };
    const rows = await this.database
      .find<DatabaseRecord>(sql`SELECT ${GRANT.names}, ${this.revision} FROM ${this.grants}
      WHERE ${this.activeOf(filter)} AND expires_at >= ${this.database.now} AND id > ${after ?? ''}
      ORDER BY id LIMIT ${limit}`);
    const times = await this.revocationTimes.get(rows[0]?.['revision'] as string | null);
    const grants = withoutRevokedBefore(times, rows.map(readGrant)).map((grant) => ({ grant, cursor: grant.id }));
    return rows.length < limit ? { grants } : { grants, next: String(rows.at(-1)!['id']) };
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
    return count + (await pruneTable(database, expired));
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

  /** Returns a statement that inserts a grant or, if it exists, extends it. A revoked grant stays revoked. */
  protected upsertGrant(grant: GrantRow): Sql {
    return sql`INSERT INTO ${this.grants} AS g (${GRANT.names}) VALUES (${this.grantValues(grant)})
      ON CONFLICT (id) DO UPDATE SET ${grantExtension(grant, '', 'g.')} WHERE g.revoked_at IS NULL`;
  }

  protected grantValues(grant: GrantRow): Sql {
    return GRANT.values(newGrant(grant, this.generationOf(grant.clientId), this.database.now));
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

  private activeOf({ grantId, userId, clientId, issuer }: GrantFilter): Sql {
    const conditions = [this.active];
    if (grantId !== undefined) conditions.push(sql`id = ${grantId}`);
    if (userId !== undefined) conditions.push(sql`user_id = ${userId}`);
    if (clientId !== undefined) conditions.push(sql`client_id = ${clientId}`);
    if (issuer !== undefined) conditions.push(sql`issuer = ${issuer}`);
    return join(conditions, ' AND ');
  }

  private get active(): Sql {
    return sql`revoked_at IS NULL AND client_generation = ${this.generationOf(sql`client_id`)}`;
  }

  /** Revokes all grants of a client at once. Returns how many were active, counted up to `MAX_COUNT`. */
  private async revokeAllOf(clientId: string): Promise<number> {
    await this.endGeneration(clientId);
    const [row] = await this.database.find<{ count: string | number }>(sql`SELECT COUNT(*) AS count FROM (
      SELECT 1 FROM ${this.grants} WHERE client_id = ${clientId} AND revoked_at IS NULL
      AND client_generation = ${this.generationOf(clientId)} - 1 LIMIT ${MAX_COUNT}) AS ended`);
    return Number(row?.count ?? 0);
  }
}
