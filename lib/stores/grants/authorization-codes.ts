import type { AuthorizationCode, AuthorizationCodeModel, Unsaved, User } from '../../model/model.js';
import { digest } from '../clients/client-secret.js';
import { snapshotOf } from '../clients/client-snapshot.js';
import type { Grants } from './grants.js';
import type { StoredClient } from '../contract/ports.js';
import { dataOf, withCurrentScopes, grantRow, rowOf } from '../clients/rows.js';
import type { StoreContext } from '../clients/store-context.js';

/** The part of a store that stores authorization codes. RFC 6749 §4.1 */
export class AuthorizationCodes implements AuthorizationCodeModel<StoredClient> {
  constructor(
    private readonly context: Pick<StoreContext, 'storage'>,
    private readonly grants: Grants,
  ) {}

  /**
   * Saves an authorization code, and its grant if the grant is not stored yet. Returns the code with its client and
   * user.
   */
  async saveAuthorizationCode(code: Unsaved<AuthorizationCode>, client: StoredClient, user: User) {
    const marked = await this.grants.prepare(code, client, user);
    const grant = grantRow('tokens', marked, client, user);
    const row = rowOf(grant, 'code', code.authorizationCode, code.expiresAt);
    row.data = dataOf(marked, snapshotOf(client));
    await this.context.storage.save(grant, [row]);
    return { client, user, ...code };
  }

  /**
   * Returns a stored authorization code, or `undefined` if it is unknown or its grant was revoked. A used code is
   * returned too, with `revokedAt`.
   */
  async getAuthorizationCode(authorizationCode: string): Promise<AuthorizationCode<StoredClient> | undefined> {
    const row = await this.context.storage.find('code', digest(authorizationCode));
    const stored = row && (await this.grants.read(row));
    return stored && { ...withCurrentScopes(stored), authorizationCode, expiresAt: new Date(row.expiresAt) };
  }

  /**
   * Marks an authorization code as used. Returns `true` for exactly one of several concurrent callers, and `false` if
   * the code is unknown or already used.
   */
  async revokeAuthorizationCode({ authorizationCode }: Pick<AuthorizationCode, 'authorizationCode'>): Promise<boolean> {
    return this.context.storage.consume('code', digest(authorizationCode));
  }
}
