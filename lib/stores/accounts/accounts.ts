import type {
  AccountKey,
  CredentialKind,
  CredentialModel,
  NewCredential,
  StoredCredential,
} from '../../model/credentials.js';
import { FOREVER } from '../../tokens/lifetime.js';
import { unavailable } from '../../remote/unavailable.js';
import { notifyTokensRevoked } from '../../tokens/revoked-tokens.js';
import { digest } from '../clients/client-secret.js';
import type { StoreContext } from '../clients/store-context.js';
import { USER_KINDS } from '../contract/grant-kinds.js';
import { newGrant } from '../contract/new-grant.js';
import type { GrantFilter, GrantRow, Row } from '../contract/storage.js';
import type { SessionClients } from '../sessions/session-clients.js';

/** Number of grants to erase at a time. */
const BATCH_SIZE = 100;

/** Number of attempts to add a credential while the account is deleted. */
const ATTEMPTS = 5;

/**
 * The part of a store that stores the credentials of accounts. An account is a grant whose ID is a digest of its realm
 * and user. Each credential is a row of this grant.
 */
export class Accounts implements CredentialModel {
  constructor(
    private readonly context: Pick<StoreContext, 'storage'>,
    private readonly sessionClients: SessionClients,
  ) {}

  /** Returns the unexpired credentials of an account that have one of the kinds. */
  async findCredentials(
    account: AccountKey,
    kinds: readonly [CredentialKind, ...CredentialKind[]],
  ): Promise<StoredCredential[]> {
    const rows = await this.context.storage.listRows(accountId(account), kinds);
    return rows.map((row) => credentialIn(row, account.realm));
  }

  /** Finds an unexpired credential by its key. */
  async findCredential(realm: string, kind: CredentialKind, key: string): Promise<StoredCredential | undefined> {
    const row = await this.context.storage.find(kind, credentialId(realm, key));
    const isValid = row?.revokedAt === null && (row.expiresIn ?? row.expiresAt - Date.now()) > 0;
    return isValid ? credentialIn(row, realm) : undefined;
  }

  /** Adds a credential to an account. Returns `true` for exactly one of several concurrent callers. */
  async addCredential(account: AccountKey, { kind, key, data, expiresAt }: NewCredential): Promise<boolean> {
    const { storage } = this.context;
    const id = credentialId(account.realm, key);
    const credential = { ...account, id, kind, ...(data !== undefined && { data }), ...(expiresAt && { expiresAt }) };
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      await storage.save(accountGrant(account), []);
      if (await storage.insertRow(rowOf(credential))) return true;
      if (await storage.hasGrant(accountId(account))) return false;
    }
    throw unavailable('The account is being deleted, or its deletion failed: call `deleteAccount()` again', 1);
  }

  /** Replaces the data of a credential, if it was not changed since it was found. */
  async replaceCredential(credential: StoredCredential, data: string): Promise<boolean> {
    const row = rowOf(credential);
    return this.context.storage.update(row, { ...row, data });
  }

  /** Removes a credential, if it was not changed since it was found. */
  async removeCredential(credential: StoredCredential): Promise<boolean> {
    return this.context.storage.removeRow(rowOf(credential));
  }

  /**
   * Deletes the credentials of an account, and all grants of its user, in batches. Clients at which the user signed in
   * are notified.
   */
  async deleteAccount(account: AccountKey, { issuers }: { issuers?: readonly string[] } = {}): Promise<number> {
    const { userId } = account;
    let count = await this.erase({ kinds: ['account'], grantId: accountId(account) });
    for (const at of issuers?.map((issuer) => ({ issuer })) ?? [{}]) {
      count += await this.sessionClients.endWith({ userId, ...at }, () =>
        this.erase({ kinds: USER_KINDS, userId, ...at }),
      );
    }
    notifyTokensRevoked({ userId });
    return count;
  }

  private async erase(filter: GrantFilter): Promise<number> {
    for (let count = 0; ;) {
      const erased = await this.context.storage.eraseGrants(filter, BATCH_SIZE);
      if (erased === 0) return count;
      count += erased;
    }
  }
}

const accountId = ({ realm, userId }: AccountKey): string => digest(JSON.stringify(['account', realm, userId]));

/** Returns the digest of the key of a credential in a realm. */
const credentialId = (realm: string, key: string): string => digest(JSON.stringify(['credential', realm, key]));

function accountGrant(account: AccountKey): GrantRow {
  const now = Date.now();
  return newGrant({
    id: accountId(account),
    kind: 'account',
    userId: account.userId,
    data: JSON.stringify({ realm: account.realm }),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: FOREVER,
  });
}

function rowOf(credential: StoredCredential): Row {
  return {
    kind: credential.kind,
    digest: credential.id,
    grantId: accountId(credential),
    clientId: '',
    userId: credential.userId,
    issuer: null,
    scope: null,
    data: credential.data ?? null,
    expiresAt: credential.expiresAt?.getTime() ?? FOREVER,
  };
}

function credentialIn({ kind, digest: id, userId, data, expiresAt }: Row, realm: string): StoredCredential {
  return {
    id,
    kind: kind as CredentialKind,
    realm,
    userId: userId!,
    ...(data !== null && { data }),
    ...(expiresAt < FOREVER && { expiresAt: new Date(expiresAt) }),
  };
}
