import type { Awaitable } from './model.js';
import type { NotBeforeModel } from './not-before.js';

/** Selects grants: every field that is given must match. */
export interface GrantSelection {
  userId?: string | number;
  clientId?: string;
  /** Narrows one of the other fields. */
  issuer?: string;
}

/** A page of a list. */
export interface Paging {
  /** The `next` of the page before. If omitted, the first page. */
  after?: string;
  /** Maximum number of entries, 1 to 1000. Default: `100`. */
  limit?: number;
}

/** A grant as operators see it. */
export interface ListedGrant {
  id: string;
  clientId: string;
  /** If omitted, the client acts for itself. */
  userId?: string;
  issuer?: string;
  scope?: string;
  createdAt: Date;
  /** When tokens were last issued for it. */
  lastUsedAt: Date;
  /** When its last token expires. */
  expiresAt: Date;
}

/** Some grants. */
export interface GrantList {
  grants: ListedGrant[];
  /** Where the next page begins. If omitted, this is the last page. */
  next?: string;
}

/** A model whose grants can be listed and ended by user and by client. */
export interface GrantsModel extends NotBeforeModel {
  /** Returns the grants of a user, or of a client, that are alive and have tokens, in the order of the store. */
  pageGrants(selection: GrantSelection & Paging): Awaitable<GrantList>;
  /** Ends grants with all their codes and tokens. Returns how many were alive. */
  revokeGrantsOf(selection: GrantSelection & { grantId?: string }): Awaitable<number>;
}
