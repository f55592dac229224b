import { REVISION_LENGTH } from '../contract/not-before.js';
import type { GrantKind, GrantRow, Row, RowKey, RowKind, StoredRow } from '../contract/storage.js';

/** The fields that decide when MongoDB or `prune()` deletes a document. */
interface Expiring {
  /** The document must be kept until this time. It equals the expiry, or is later while other documents need it. */
  keepUntil: Date;
}

/** A grant. It counts as revoked if a counter of its client or user has changed since it was saved. */
export interface GrantDocument extends Expiring {
  _id: string;
  kind: GrantKind;
  clientId: string;
  userId: string | null;
  issuer: string | null;
  scope: string | null;
  data: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date;
  revokedAt: Date | null;
  /** The generation of the client when the grant was saved. */
  clientGeneration: number;
  /** The counters of the user that apply to this grant, when it was saved: the result of `countersOf()`. */
  userCounters: number[];
  /** A random ID of the call that inserted the grant. */
  attempt: string;
}

/** A code, token or other row of a grant. Its ID is the kind and the digest. */
export interface RowDocument extends Expiring {
  _id: string;
  grantId: string;
  clientId: string;
  userId: string | null;
  issuer: string | null;
  scope: string | null;
  data: string | null;
  expiresAt: Date;
  /** A random ID of the call that inserted the row, if it was inserted alone. */
  insertion?: string | null;
  /** When the row was marked as used. If omitted or `null`, it is unused. */
  usedAt?: Date | null;
  /** The ID of the `consumeAndSave()` that marked this row as used. */
  attempt?: string;
  /** Set until `consumeAndSave()` has finished. The row exists only if the used row has the ID of this attempt. */
  pending?: PendingRow | null;
}

/** The state of a row that `consumeAndSave()` has written before it marked another row as used. */
export interface PendingRow {
  /** The ID of the document that `consumeAndSave()` marks as used. */
  usedRow: string;
  attempt: string;
  /** How to extend the grant of the row. */
  lastUsedAt: Date | null;
  grantExpiresAt: Date;
}

/** A single-use value, a counter, or a stored text. All are in the collection of the rows. */
export interface ValueDocument {
  _id: string;
  text?: string;
  attempt?: string;
  /** The count of a counter, and the time of its last change. */
  count?: number;
  changedAt?: Date;
  /** When the single-use value was used or the window of the counter began, and its milliseconds from then on. */
  usedAt?: Date;
  milliseconds?: number;
  keepUntil?: Date;
}

/** A document that counts how often grants of a client or user were revoked at once. */
export interface RevocationCounts {
  _id: string;
  /** The metadata of the client. `null` or omitted if the document is no client and only counts. */
  metadata?: string | null;
  /** When `prune()` found no grants to which the counts apply. Omitted or `null` if it did not, or a grant was saved since. */
  unusedSince?: Date | null;
}

/** A client, or the generation of a client that does not exist. */
export interface ClientDocument extends RevocationCounts {
  /** The properties of the client except its ID and secrets, as JSON. `null` if the client does not exist. */
  metadata: string | null;
  /** The hashes of the secrets, as JSON. */
  secretHashes?: string;
  /** A random ID of the call that saved the client. */
  version: string | null;
  /** The number of times that all grants of the client were revoked. */
  generation?: number;
  createdAt?: Date;
  /** Set after the client was removed. */
  isRemoved?: boolean;
}

/** The numbers of times that grants of a user were revoked at once. */
export interface UserDocument extends RevocationCounts {
  /** The counters by the result of `counterName()`. */
  counters: Record<string, number>;
}

/** A document of the collection of the rows with its grant and client, as one query reads them. */
export interface JoinedRow extends RowDocument {
  grants: GrantDocument[];
  clients: ClientDocument[];
  users: UserDocument[];
  notBefore: { revision: string }[];
  now: Date;
}

export const rowId = ({ kind, digest }: RowKey) => `${kind} ${digest}`;

/** Returns the document of a new row. */
export function rowDocument({ kind, digest, expiresAt, lifetime: _, ...row }: Row): RowDocument {
  const expiry = new Date(expiresAt);
  return { _id: rowId({ kind, digest }), ...row, expiresAt: expiry, keepUntil: expiry };
}

/** Returns a row of a query, with its times by the clock of the database. */
export function readRow({ _id, grantId, clientId, userId, issuer, scope, data, ...row }: JoinedRow): StoredRow {
  const [expiresAt, now, usedAt] = [row.expiresAt.getTime(), row.now.getTime(), row.usedAt?.getTime() ?? null];
  const [kind, digest] = _id.split(' ') as [RowKind, string];
  const stored: StoredRow = {
    kind,
    digest,
    grantId,
    clientId,
    userId,
    issuer,
    scope,
    data,
    expiresAt,
    revokedAt: usedAt,
  };
  stored.expiresIn = expiresAt - now;
  if (usedAt !== null) stored.revokedAgo = now - usedAt;
  return stored;
}

export function readGrant({ _id: id, kind, clientId, userId, issuer, scope, data, ...grant }: GrantDocument): GrantRow {
  const [createdAt, expiresAt] = [grant.createdAt.getTime(), grant.expiresAt.getTime()];
  const lastUsedAt = grant.lastUsedAt?.getTime() ?? null;
  return { id, kind, clientId, userId, issuer, scope, data, createdAt, lastUsedAt, expiresAt };
}

/** An aggregation expression for the revision of a text. */
export const REVISION = { revision: { $substrBytes: ['$text', 0, REVISION_LENGTH] } };

/**
 * Returns the ID of a user, client or grant.
 * @throws {RangeError} If MongoDB would not store the ID unchanged, because it has unpaired surrogates.
 */
export function requireStorable<T extends string | null>(id: T): T {
  if (id === null || isStorable(id)) return id;
  throw new RangeError('An ID must be a string without unpaired surrogates');
}

/** Whether MongoDB stores this ID unchanged. An altered ID could collide with another one. */
export const isStorable = (id: unknown): boolean => typeof id === 'string' && id.isWellFormed();

/** Returns a time in milliseconds as a `Date`. */
export const dateOf = (time: number | null): Date | null => (time === null ? null : new Date(time));
