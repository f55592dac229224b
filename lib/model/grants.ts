import type { Awaitable } from './model.js';
import type { NotBeforeModel } from './not-before.js';

/** Selects grants by user, client and issuer. Every field that is set must match. */
export interface GrantSelection {
  userId?: string | number;
  clientId?: string;
  /** The issuer of the grants. It can only be combined with another field. */
  issuer?: string;
}

/** Selects a page of a list: where it starts, and its maximum length. */
export interface Paging {
  /** The `next` value of the previous page. If omitted, the first page. */
  after?: string;
  /** Maximum number of entries, 1 to 1000. Default: `100`. */
  limit?: number;
}

/** A grant as administrators see it. */
export interface ListedGrant {
  id: string;
  clientId: string;
  /** The `id` of the user, as text. If omitted, it is a client credentials grant. */
  userId?: string;
  issuer?: string;
  scope?: string;
  createdAt: Date;
  /** When a token was last issued for the grant. */
  lastUsedAt: Date;
  /** When the last token of the grant expires. */
  expiresAt: Date;
}

/** A page of grants. */
export interface GrantList {
  grants: ListedGrant[];
  /** The value of `after` for the next page. If omitted, this is the last page. */
  next?: string;
}

/**
 * A model that can list and revoke grants by user and by client. Applications call `OAuth2Grants`, which also notifies
 * clients and emits events.
 */
export interface GrantsModel extends NotBeforeModel {
  /** Returns a page of the active grants that have tokens, by user, by client or by both, in the order of the store. */
  pageGrants(selection: GrantSelection & Paging): Awaitable<GrantList>;
  /** Revokes the selected grants with all their codes and tokens. Returns how many were active. */
  revokeGrantsOf(selection: GrantSelection & { grantId?: string }): Awaitable<number>;
}
