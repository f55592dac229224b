import type { GrantRow, Row } from './storage.js';

/** A column of a table, described for any relational database. */
export interface Column {
  /** The name of the column in the database table. */
  name: string;
  type: 'varchar' | 'text' | 'bigint' | 'integer';
  length?: number;
  nullable?: true;
  primary?: true;
}

/** The columns of a table, by the properties of a record that they store. */
export type Columns<Field extends string = string> = Readonly<Record<Field, Column>>;

const word = <Length extends number>(name: string, length: Length) => ({ name, type: 'varchar', length }) as const;
const id = (name: string) => word(name, 255);
const text = (name: string) => ({ name, type: 'text' }) as const;
/** Returns a column for a time in milliseconds since the epoch. */
const time = (name: string) => ({ name, type: 'bigint' }) as const;
const count = (name: string) => ({ name, type: 'integer' }) as const;
const key = <C extends Column>(column: C) => ({ ...column, primary: true }) as const;
const nullable = <C extends Column>(column: C) => ({ ...column, nullable: true }) as const;

/** The columns of the table of clients. */
export const CLIENT_COLUMNS = {
  id: key(id('id')),
  secretHashes: text('secret_hashes'),
  /**
   * The other properties of the client as JSON. `null` if the client was removed, or if the application stores the
   * client itself.
   */
  metadata: nullable(text('metadata')),
  /**
   * How often all grants of the client were revoked at once. Grants that were saved with a lower number are revoked.
   */
  generation: count('generation'),
  createdAt: time('created_at'),
} satisfies Columns;

/** The columns of the table of grants. */
export const GRANT_COLUMNS = {
  id: key(id('id')),
  clientId: id('client_id'),
  userId: nullable(id('user_id')),
  kind: word('kind', 16),
  issuer: nullable(text('issuer')),
  scope: nullable(text('scope')),
  data: nullable(text('data')),
  createdAt: time('created_at'),
  lastUsedAt: nullable(time('last_used_at')),
  expiresAt: time('expires_at'),
  /**
   * The day of `expiresAt`, as days since 1970. It has an index: an index on the exact time would be updated at each
   * refresh.
   */
  expiresOn: count('expires_on'),
  clientGeneration: count('client_generation'),
  revokedAt: nullable(time('revoked_at')),
} satisfies Columns<keyof GrantRow> & Columns;

/** The columns of the table of codes, tokens and other rows. */
export const ROW_COLUMNS = {
  digest: key(word('digest', 43)),
  kind: key(word('kind', 16)),
  grantId: id('grant_id'),
  clientId: id('client_id'),
  userId: nullable(id('user_id')),
  issuer: nullable(text('issuer')),
  scope: nullable(text('scope')),
  data: nullable(text('data')),
  expiresAt: time('expires_at'),
  revokedAt: nullable(time('revoked_at')),
} satisfies Columns<Exclude<keyof Row, 'lifetime'>> & Columns;

/**
 * The columns of each index of the table of grants. The ORM generates the names of the indices, since these contain the
 * `entityPrefix` of the application.
 */
export const GRANT_INDICES: (keyof typeof GRANT_COLUMNS)[][] = [
  ['userId', 'kind', 'revokedAt'],
  ['clientId', 'clientGeneration'],
  ['expiresOn'],
];
export const ROW_INDICES: (keyof typeof ROW_COLUMNS)[][] = [['expiresAt'], ['grantId']];

/** Milliseconds in a day. */
export const DAY = 86_400_000;

/**
 * Milliseconds for which a grant stays stored after it expired, so that requests in progress still find out that it was
 * revoked.
 */
export const GRANT_GRACE_PERIOD = 60_000;

/** Returns the values of the columns for a grant that is to be inserted. */
export function grantRecord(grant: GrantRow): Record<keyof typeof GRANT_COLUMNS, string | number | null> {
  return { ...grant, expiresOn: dayOf(grant.expiresAt), clientGeneration: 0, revokedAt: null };
}

/** Returns the day of a time as the number of days since 1970, as the column `expiresOn` stores it. */
export const dayOf = (milliseconds: number): number => Math.floor(milliseconds / DAY);
