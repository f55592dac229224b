import type { Row } from '../contract/storage.js';
import { requireStorable } from './client-table.js';
import type { Database } from './database.js';
import { newRow, ROW } from './records.js';
import type { Identifier, Sql } from './sql.js';
import { rawSql, sql } from './sql.js';

/** Number of attempts to insert a row while concurrent calls insert and remove rows with the same key. */
const ATTEMPTS = 10;

/** The tables of a store, and the parts of statements that differ between databases. */
interface RowTables {
  readonly grants: Identifier;
  readonly tokens: Identifier;
  /** SQL for the condition that a grant is active. */
  readonly active: Sql;
  /** Returns SQL for the values of a row that is to be inserted. */
  valuesOf(row: Row): Sql;
  hasGrant(id: string): Promise<boolean>;
}

/** A row that has the key of a row to insert, and whether the row may be replaced. */
interface TakenRow {
  grant_id: string;
  data: string | null;
  expires_at: string | number;
  is_free: string | number;
}

/** The statements that insert and remove single rows by compare-and-set. */
export class InsertedRows {
  constructor(
    private readonly database: Database,
    private readonly tables: RowTables,
  ) {}

  /** Inserts a row of an active grant. Returns `false` if its key is taken or its grant is not active. */
  async insert(row: Row): Promise<boolean> {
    const { tokens } = this.tables;
    const { kind, digest, grantId } = row;
    if (row.userId !== null) requireStorable(row.userId);
    // The lock lets a revocation wait, so that no row is inserted after the rows of the grant were erased.
    const added = sql`INSERT INTO ${tokens} (${ROW.names}) SELECT ${this.tables.valuesOf(row)} ${this.lockedGrant(grantId)}`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (await this.database.add(added)) return true;
      const [taken] = await this.database.find<TakenRow>(sql`SELECT t.grant_id, t.data, t.expires_at,
        CASE WHEN ${this.isFree('t')} THEN 1 ELSE 0 END AS is_free FROM ${tokens} t
        WHERE t.digest = ${digest} AND t.kind = ${kind}`);
      if (taken && Number(taken.is_free) === 0) return false;
      if (taken && (await this.replace(taken, row))) return true;
      if (!(await this.tables.hasGrant(grantId))) return false;
    }
    return false;
  }

  /** Deletes an unused row whose grant and data are unchanged. */
  async remove({ kind, digest, grantId, data }: Row): Promise<boolean> {
    const count = await this.database.change(sql`DELETE FROM ${this.tables.tokens} WHERE digest = ${digest}
      AND kind = ${kind} AND grant_id = ${grantId} AND ${isData(data)} AND revoked_at IS NULL`);
    return count === 1;
  }

  /** Replaces a row that has expired or whose grant is not active, unless another call has replaced it. */
  private async replace(taken: TakenRow, row: Row): Promise<boolean> {
    const { kind, digest, grantId, clientId, userId, issuer, scope, data } = row;
    const { expiresAt } = newRow(row, this.database.now);
    const count = await this.database.change(sql`UPDATE ${this.tables.tokens} SET grant_id = ${grantId},
      client_id = ${clientId}, user_id = ${userId}, issuer = ${issuer}, scope = ${scope}, data = ${data},
      expires_at = ${expiresAt}, revoked_at = NULL
      WHERE digest = ${digest} AND kind = ${kind} AND grant_id = ${taken.grant_id} AND ${isData(taken.data)}
      AND expires_at = ${taken.expires_at} AND (${this.isFree(this.tables.tokens)}) AND EXISTS (SELECT 1 ${this.lockedGrant(grantId)})`);
    return count === 1;
  }

  /** Returns the condition that a row has expired or its grant is not active. `rows` names the table of the row. */
  private isFree(rows: 't' | Identifier): Sql {
    const row = rows === 't' ? rawSql('t') : sql`${rows}`;
    const { grants, active } = this.tables;
    return sql`${row}.expires_at <= ${this.database.now}
      OR NOT EXISTS (SELECT 1 FROM ${grants} WHERE id = ${row}.grant_id AND ${active})`;
  }

  /** Returns the rest of a query for a grant if it is active. The grant stays locked until the transaction ends. */
  private lockedGrant(id: string): Sql {
    const { grants, active } = this.tables;
    const lock = { postgresql: ' FOR SHARE', mysql: ' LOCK IN SHARE MODE', sqlite: '' }[this.database.dialect];
    return sql`FROM ${grants} WHERE id = ${id} AND ${active}${rawSql(lock)}`;
  }
}

const isData = (data: string | null): Sql => (data === null ? sql`data IS NULL` : sql`data = ${data}`);
