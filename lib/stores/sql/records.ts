import { type Columns, GRANT_COLUMNS, grantRecord, ROW_COLUMNS } from '../contract/schema.js';
import type { StoredRow, GrantRow, Row } from '../contract/storage.js';
import { readClient } from '../contract/client-texts.js';
import { requireStorable } from './client-table.js';
import { join, type Sql, sql, castTo, rawSql } from './sql.js';

/** A record of a driver. Drivers return 64-bit integers as strings. As milliseconds, they fit in a number exactly. */
export type DatabaseRecord = Record<string, string | number | bigint | null>;

type Values = Record<string, unknown>;

/** The columns of a table in a fixed order, with functions to build the SQL for its records. */
class Fields<Field extends string> {
  readonly names: Sql;
  private readonly fields: readonly Field[];

  constructor(private readonly columns: Columns<Field>) {
    this.fields = Object.keys(columns) as Field[];
    this.names = rawSql(this.fields.map((field) => columns[field].name).join(', '));
  }

  /** Returns SQL for the column names, each with the alias of the table. */
  of(alias: string): Sql {
    return rawSql(this.fields.map((field) => `${alias}.${this.columns[field].name}`).join(', '));
  }

  /** Returns SQL for the values of a record, in the order of the columns. A value may itself be SQL. */
  values(record: Values): Sql {
    return join(this.fields.map((field) => record[field]));
  }

  /**
   * Returns SQL for the values of a record, each with a cast to the type of its column, for statements in which the
   * database cannot infer the types.
   */
  typedValues(record: Values): Sql {
    return join(this.fields.map((field) => castTo(record[field], TYPES[this.columns[field].type])));
  }

  /** Returns SQL for each column, with the alias of the table. */
  references(alias: string): Record<Field, Sql> {
    const entries = this.fields.map((field) => [field, rawSql(`${alias}.${this.columns[field].name}`)]);
    return Object.fromEntries(entries) as Record<Field, Sql>;
  }

  /**
   * Returns SQL that reads records from a JSON text on PostgreSQL, so that a statement has the same text for any number
   * of them.
   * @param name name of a column that the records have in addition
   */
  recordset(records: readonly Values[], name: string, type: 'bigint' | 'boolean'): Sql {
    const columns = this.fields.map((field) => ({ field, ...this.columns[field] }));
    const types = [...columns.map((column) => `${column.name} ${TYPES[column.type]}`), `${name} ${type}`];
    const byName = records.map((record) =>
      Object.fromEntries([...columns.map((column) => [column.name, record[column.field]]), [name, record[name]]]),
    );
    return sql`json_to_recordset(${castTo(JSON.stringify(byName), 'json')}) AS x (${rawSql(types.join(', '))})`;
  }

  read(record: DatabaseRecord): Record<Field, string | number | null> {
    const read = {} as Record<Field, string | number | null>;
    for (const field of this.fields) {
      const { name, type } = this.columns[field];
      const value = record[name] ?? null;
      read[field] = value === null || TYPES[type] === 'text' ? (value as string | null) : Number(value);
    }
    return read;
  }
}

const TYPES = { varchar: 'text', text: 'text', bigint: 'bigint', integer: 'integer' } as const;

export const GRANT = new Fields(GRANT_COLUMNS);
export const ROW = new Fields(ROW_COLUMNS);

export function readGrant(record: DatabaseRecord): GrantRow {
  const { expiresOn, clientGeneration, revokedAt, ...grant } = GRANT.read(record);
  return grant as unknown as GrantRow;
}

/**
 * Returns the row that a database record contains, with its times. If the store has the clients too, also with its
 * client.
 * @param record the columns of the row, and `known_id` and `metadata` of its client
 */
export function readRow(record: DatabaseRecord, storesClients: boolean): StoredRow {
  const row = ROW.read(record) as unknown as StoredRow;
  if (record['revoked_ago'] !== null) row.revokedAgo = Number(record['revoked_ago']);
  row.expiresIn = Number(record['expires_in']);
  if (storesClients) {
    const { metadata } = record;
    // If another tool created the table, its collation may be case-insensitive, so that the join finds `Alice` for
    // `alice`.
    row.client = metadata && record['known_id'] === row.clientId ? readClient(row.clientId, metadata as string) : null;
  }
  return row;
}

/**
 * Returns the column values of a grant that is to be inserted, with the generation of its client. It begins now, by the
 * clock of the database.
 */
export function newGrant(grant: GrantRow, clientGeneration: Sql, now: Sql): Record<string, unknown> {
  requireStorable(grant.clientId);
  if (grant.userId !== null) requireStorable(grant.userId);
  const lastUsedAt = grant.lastUsedAt === grant.createdAt ? now : grant.lastUsedAt;
  return { ...grantRecord(grant), createdAt: now, lastUsedAt, clientGeneration };
}

/**
 * Returns the column values of a row that is to be inserted.
 * @param now SQL for the current time of the database
 */
export function newRow(row: Row, now: Sql): Record<string, unknown> {
  const { lifetime, expiresAt } = row;
  return { ...row, expiresAt: lifetime === undefined ? expiresAt : sql`${now} + ${lifetime}`, revokedAt: null };
}
