import type { CoreClient, Scope, User } from '../model/model.js';

/**
 * How the scope of an authorization was established.
 * - `requested`: the model decides which part of it is granted, by `validateScope()`.
 * - `consented`: the model decides too, but nothing beyond it is granted: a user has agreed to it, or another token limits it.
 * - `approved`: it is granted as it is. The model has decided before.
 */
export type ScopeStatus = 'requested' | 'consented' | 'approved';

/** What a grant established: who may have a token, and for what. */
export interface Authorization {
  client: CoreClient;
  user: User;
  scope?: Scope;
  /** How the scope was established. Default: `'requested'`. */
  scopeStatus?: ScopeStatus;
  /** May the client come back without the user? Only clients with the `refresh_token` grant may. A feature may say no by `issue`. */
  refreshable?: boolean;
  /** The family: what a replay revokes. */
  grantId?: string | undefined;
  /** When the family began; left out: now. */
  grantedAt?: Date;
  /** Nothing that is issued lasts longer than this. */
  notAfter?: Date | undefined;
  /** Further properties of the token to save. */
  extra?: Record<string, unknown>;
}
