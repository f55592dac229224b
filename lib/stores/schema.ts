import type { GrantRow, Row } from './storage.js';

/** How a value is kept, in terms of every database. */
export interface Column {
  /** In the database. */
  name: string;
  type: 'varchar' | 'text' | 'bigint' | 'integer';
  length?: number;
  nullable?: true;
  primary?: true;
}

/** The columns of a table, by the fields of a record. */
export type Columns<Field extends string = string> = Readonly<Record<Field, Column>>;

const id = (name: string): Column => ({ name, type: 'varchar', length: 255 });
const word = (name: string, length: number): Column => ({ name, type: 'varchar', length });
const text = (name: string): Column => ({ name, type: 'text' });
/** Milliseconds since the epoch. */
const time = (name: string): Column => ({ name, type: 'bigint' });
const count = (name: string): Column => ({ name, type: 'integer' });
const key = (column: Column): Column => ({ ...column, primary: true });
const nullable = (column: Column): Column => ({ ...column, nullable: true });

/** A client. */
export const CLIENT_COLUMNS = {
  id: key(id('id')),
  secretHashes: text('secret_hashes'),
  /** All that is said of a client, as JSON; null: removed, or kept elsewhere. */
  metadata: nullable(text('metadata')),
  /** How often all its grants were ended: those of an earlier generation are dead. */
  generation: count('generation'),
  createdAt: time('created_at'),
} satisfies Columns;

/** A grant. */
export const GRANT_COLUMNS = {
  id: key(id('id')),
  clientId: id('client_id'),
  userId: nullable(id('user_id')),
  issuer: nullable(text('issuer')),
  scope: nullable(text('scope')),
  data: nullable(text('data')),
  createdAt: time('created_at'),
  lastUsedAt: nullable(time('last_used_at')),
  expiresAt: time('expires_at'),
  /** The day of `expiresAt`, counted from 1970. An index on the moment itself would be written at each refresh. */
  expiresOn: count('expires_on'),
  clientGeneration: count('client_generation'),
  revokedAt: nullable(time('revoked_at')),
} satisfies Columns<keyof GrantRow> & Columns;

/** A code or token. */
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

/** Which columns are looked for. Names are left to TypeORM, which puts the `entityPrefix` of the host into them. */
export const GRANT_INDICES: (keyof typeof GRANT_COLUMNS)[][] = [
  ['userId', 'revokedAt'],
  ['clientId', 'clientGeneration'],
  ['expiresOn'],
];
export const ROW_INDICES: (keyof typeof ROW_COLUMNS)[][] = [['expiresAt']];

/** In milliseconds. */
export const DAY = 86_400_000;

/** A grant by its columns, as it is when it is new. */
export function grantRecord(grant: GrantRow): Record<keyof typeof GRANT_COLUMNS, string | number | null> {
  return { ...grant, expiresOn: dayOf(grant.expiresAt), clientGeneration: 0, revokedAt: null };
}

/** The day of a moment, as `expiresOn` counts it. */
export const dayOf = (moment: number): number => Math.floor(moment / DAY);
