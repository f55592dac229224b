import type { CoreClient, Scope, User } from '../model/model.js';

/**
 * How the scope of an authorization was established.
 * - `requested`: the model's `validateScope()` decides which part of the scope is granted.
 * - `consented`: `validateScope()` decides as well, but can only reduce the scope. The user has consented to it, or
 * another token limits it.
 * - `approved`: the scope is granted as it is, because the model has already approved it.
 */
export type ScopeStatus = 'requested' | 'consented' | 'approved';

/** The authorization that a grant established: the client and the user of the token to issue, and its scope. */
export interface Authorization {
  client: CoreClient;
  user: User;
  scope?: Scope;
  /** How the scope was established. Default: `'requested'`. */
  scopeStatus?: ScopeStatus;
  /**
   * Whether a refresh token may be issued. Default: `false`. The client must also have the grant type `refresh_token`,
   * and no `issue` hook of a feature may forbid it.
   */
  refreshable?: boolean;
  /**
   * The ID of the token family, whose codes and tokens replay detection revokes together. If omitted, the token begins
   * a new family.
   */
  grantId?: string | undefined;
  /** When the user granted the authorization. Default: now. */
  grantedAt?: Date;
  /** The latest time at which the access token may expire. If omitted, only the configured lifetimes apply. */
  notAfter?: Date | undefined;
  /** Whether the token is issued to the client for itself, so that `user` stands for the client. Default: `false`. */
  isForClient?: boolean;
  /** Further properties to save with the token. */
  extra?: Record<string, unknown>;
}
