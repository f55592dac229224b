import type { CoreClient, Scope, User } from '../model/model.js';

/**
 * How the scope of an authorization was established.
 * - `requested`: the model decides which part of it is granted, by `validateScope()`.
 * - `consented`: the model decides too, but nothing beyond it is granted: a user has agreed to it, or another token limits it.
 * - `approved`: it is granted as it is. The model has decided before.
 */
export type ScopeStatus = 'requested' | 'consented' | 'approved';

/** The authorization that a grant established: the client and user of the token, and its scope. */
export interface Authorization {
  client: CoreClient;
  user: User;
  scope?: Scope;
  /** How the scope was established. Default: `'requested'`. */
  scopeStatus?: ScopeStatus;
  /**
   * Whether a refresh token may be issued. The client must have the grant type `refresh_token`. The hook `issue` of a
   * feature may forbid it.
   */
  refreshable?: boolean;
  /** The id of the token family, which a replay revokes. */
  grantId?: string | undefined;
  /** When the user granted it. Default: now. */
  grantedAt?: Date;
  /** When all tokens of the grant expire at the latest. */
  notAfter?: Date | undefined;
  /** Further properties of the token to save. */
  extra?: Record<string, unknown>;
}
