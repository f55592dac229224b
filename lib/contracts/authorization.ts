import type { Client, RefreshToken, Scope, Token, User } from '../model/model.js';

/** What a grant established: who may have a token, and for what. */
export interface Authorization {
  client: Client;
  user: User;
  scope?: Scope;
  /** The scope was approved already: the model is not asked again. */
  scopeApproved?: boolean;
  /** A user saw this scope: whatever the model says, nothing beyond it is granted. */
  scopeSeen?: boolean;
  /** May the client come back without the user? Only clients with the `refresh_token` grant may. A feature may say no by `issue`. */
  refreshable?: boolean;
  /** The family: what a replay revokes. */
  grantId?: string | undefined;
  /** When the family began; left out: now. */
  grantedAt?: Date;
  /** Nothing that is issued lasts longer than this. */
  notAfter?: Date | undefined;
  /** The token that it is given for in exchange. RFC 8693 §2 */
  exchangedFor?: Token | RefreshToken | undefined;
  /** Further properties of the token to save. */
  extra?: Record<string, unknown>;
}
