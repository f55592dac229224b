import type { Awaitable } from './model.js';

/** The key of an identity at another provider. */
export interface IdentityKey {
  /** The users whom the identity can belong to: the tenant, or empty without tenants. */
  realm: string;
  /** The issuer of the provider. */
  iss: string;
  /** The identifier of the user at the provider. */
  sub: string;
}

/** An identity at another provider, and the user of this server to whom it belongs. */
export interface StoredIdentity extends IdentityKey {
  /** The ID of the user, as text. */
  userId: string;
  /** The name of the provider in the configuration, for pages. It does not identify the provider. */
  provider: string;
  /** The name of the user at the provider, for pages. */
  name?: string | undefined;
  /** When the identity was added, in milliseconds since the epoch. */
  linkedAt: number;
}

/**
 * Stores which identities at other providers belong to which user, for `upstreams()`. Each identity belongs to one user
 * at most.
 */
export interface IdentityModel {
  /** Finds an identity by its exact key. */
  findIdentity(key: IdentityKey): Awaitable<StoredIdentity | undefined>;
  /**
   * Adds an identity. Returns `true` for exactly one of several concurrent calls with the same key, `false` if the
   * identity belongs to a user already.
   */
  addIdentity(identity: StoredIdentity): Awaitable<boolean>;
  /** Removes an identity of a user. Returns `true` for exactly one of several concurrent calls. */
  removeIdentity(identity: IdentityKey & Pick<StoredIdentity, 'userId'>): Awaitable<boolean>;
  /** Returns the identities of a user, ordered by `linkedAt`. */
  listIdentities(user: Pick<StoredIdentity, 'realm' | 'userId'>): Awaitable<StoredIdentity[]>;
}
