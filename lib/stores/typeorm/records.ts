import { type Columns, GRANT_COLUMNS, grantRecord, ROW_COLUMNS } from '../schema.js';
import type { StoredRow, GrantRow, Row } from '../storage.js';
import { readClient, requireStorable } from './client-table.js';
import { join, type Sql, sql, castTo, rawSql } from './sql.js';

/** A record of a driver: 64 bits come as text, lest some be lost; in milliseconds none are. */
export type DatabaseRecord = Record<string, string | number | bigint | null>;

type Values = Record<string, unknown>;

/** What is read of a table, and in which order it is written. */
class Fields<Field extends string> {
  readonly names: Sql;
  private readonly fields: readonly Field[];

  constructor(private readonly columns: Columns<Field>) {
    this.fields = Object.keys(columns) as Field[];
    this.names = rawSql(this.fields.map((field) => columns[field].name).join(', '));
  }

  /** The same, of a table by this name. */
  of(alias: string): Sql {
    return rawSql(this.fields.map((field) => `${alias}.${this.columns[field].name}`).join(', '));
  }

  /** The values of a record; some may be statements. */
  values(record: Values): Sql {
    return join(this.fields.map((field) => record[field]));
  }

  /** The same where a database cannot tell their types by itself. */
  typedValues(record: Values): Sql {
    return join(this.fields.map((field) => castTo(record[field], TYPES[this.columns[field].type])));
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

/** @param record with `known_id` and `metadata` of the client that came along, where clients are kept here */
export function readRow(record: DatabaseRecord, keepsClients: boolean): StoredRow {
  const row = ROW.read(record) as unknown as StoredRow;
  if (record['revoked_ago'] !== null) row.revokedAgo = Number(record['revoked_ago']);
  row.expiresIn = Number(record['expires_in']);
  if (keepsClients) {
    const { metadata } = record;
    // A table that somebody else created may hold `Alice` to be `alice`.
    row.client = metadata && record['known_id'] === row.clientId ? readClient(row.clientId, metadata as string) : null;
  }
  return row;
}

/** A new grant with the generation of its client. It begins now, by the clock of the database. */
export function newGrant(grant: GrantRow, clientGeneration: Sql, now: Sql): Record<string, unknown> {
  requireStorable(grant.clientId);
  if (grant.userId !== null) requireStorable(grant.userId);
  const lastUsedAt = grant.lastUsedAt === grant.createdAt ? now : grant.lastUsedAt;
  return { ...grantRecord(grant), createdAt: now, lastUsedAt, clientGeneration };
}

/** Returns the columns of a new row. @param now the current time of the database */
export function newRow(row: Row, now: Sql): Record<string, unknown> {
  const { lifetime, expiresAt } = row;
  return { ...row, expiresAt: lifetime === undefined ? expiresAt : sql`${now} + ${lifetime}`, revokedAt: null };
}
