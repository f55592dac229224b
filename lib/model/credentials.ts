import type { Awaitable } from './model.js';

/** The kinds of credentials that a model stores for an account. */
export type CredentialKind =
  'password' | 'passkey' | 'totp' | 'recovery_code' | 'identity' | 'email_proof' | 'challenge' | 'deletion';

/**
 * An account: a user of a realm. A realm is the users among whom the account is: the tenant, or empty without tenants.
 * Changing the issuer keeps the account, and servers with the same realm share it.
 */
export interface AccountKey {
  realm: string;
  userId: string;
}

/** A credential to store. */
export interface NewCredential {
  kind: CredentialKind;
  /**
   * The identifier of the credential in its realm, such as the ID of a passkey, or the `iss` and `sub` of an identity. Only
   * its digest is stored. In a realm, one account at most has a credential of this kind with this key.
   */
  key: string;
  /** The stored text. Encrypt secrets that must be read again, and hash the others. If omitted, nothing. */
  data?: string;
  /** When the credential expires. If omitted, never. */
  expiresAt?: Date;
}

/** A stored credential of an account. */
export interface StoredCredential extends AccountKey {
  /** The digest of the key. */
  id: string;
  kind: CredentialKind;
  data?: string;
  expiresAt?: Date;
}

/** Model methods that store the credentials of accounts. */
export interface CredentialModel {
  /** Returns the unexpired credentials of an account that have one of the kinds, in no particular order. */
  findCredentials(
    account: AccountKey,
    kinds: readonly [CredentialKind, ...CredentialKind[]],
  ): Awaitable<StoredCredential[]>;
  /** Finds an unexpired credential by its key. Returns `undefined` if no account of the realm has it. */
  findCredential(realm: string, kind: CredentialKind, key: string): Awaitable<StoredCredential | undefined>;
  /**
   * Adds a credential to an account, which begins with its first credential.
   * @returns `true` for exactly one of several concurrent callers. `false` if an account of the realm has a credential
   * with this key.
   */
  addCredential(account: AccountKey, credential: NewCredential): Awaitable<boolean>;
  /**
   * Replaces the data of a credential, if it was not changed since it was found.
   * @returns `true` for exactly one of several concurrent callers with the same credential. Callers whose `data` is
   * identical too may all get `true`.
   */
  replaceCredential(credential: StoredCredential, data: string): Awaitable<boolean>;
  /**
   * Removes a credential, if it was not changed since it was found.
   * @returns `true` for exactly one of several concurrent callers. So a credential that is removed when it is used, such
   * as a recovery code, is used once.
   */
  removeCredential(credential: StoredCredential): Awaitable<boolean>;
  /**
   * Deletes the credentials of an account, and all grants, sessions and consents of its user, in batches. If it fails,
   * call it again. Then the same user ID may get an account again.
   * @param options `issuers` limits which grants are deleted, for a store that several realms share. If omitted, those
   * of all issuers.
   * @returns the number of deleted grants
   */
  deleteAccount(account: AccountKey, options?: { issuers?: readonly string[] }): Awaitable<number>;
}
