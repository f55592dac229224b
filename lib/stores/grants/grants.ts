import { isGenuineClientItself } from '../../tokens/client-subject.js';
import type { User } from '../../model/model.js';
import { hasCurrentPassword, type PasswordMarked, passwordMark } from '../clients/password-mark.js';
import { isDisabled } from '../clients/managed-client.js';
import type { StoredClient } from '../contract/ports.js';
import { type StoredTokenFields, readTokenFields } from '../clients/rows.js';
import type { StoreContext } from '../clients/store-context.js';
import type { StoredRow } from '../contract/storage.js';

/** Moves a dynamically registered client that is used for the first time to the saved clients of the store. */
export type Promote = (clientId: string) => Promise<void>;

/** The part of a store that handles what all codes and tokens have in common when they are saved and found. */
export class Grants {
  constructor(
    private readonly context: Pick<StoreContext, 'users' | 'overridable'>,
    private readonly promote: Promote,
  ) {}

  /**
   * Prepares a code or token before it is saved. If its client registered itself and is used for the first time, moves
   * it to the saved clients of the store. Returns the code or token with the password mark of the user.
   * @param user If omitted, no mark is added.
   */
  async prepare<T extends object>(issued: T, client: StoredClient, user?: User): Promise<T & PasswordMarked> {
    if (client.expiresIfUnusedAt !== undefined) await this.promote(client.id);
    return user && this.context.users.credentialOf ? this.marked(issued, user) : issued;
  }

  /**
   * Returns a code or token with the password mark of its user. The user is looked up again, since the user object of a
   * request may have fewer fields.
   */
  async marked<T extends object>(issued: T, user: User): Promise<T & PasswordMarked> {
    if (!this.context.users.credentialOf || isGenuineClientItself(user)) return issued;
    const stored = await this.context.users.findById(String(user['id']));
    return stored ? { ...issued, credential: passwordMark(this.context.users, stored) } : issued;
  }

  /**
   * Returns the properties of a stored code or token. Returns `undefined` if its client is disabled, its client or user
   * no longer exists, or the user has a new password.
   */
  async read(row: StoredRow): Promise<StoredTokenFields | undefined> {
    const { users, overridable } = this.context;
    const client = await overridable.clientOf(row);
    if (!client || isDisabled(client)) return undefined;
    const user = row.userId === null ? await overridable.getUserFromClient(client) : await users.findById(row.userId);
    return user && hasCurrentPassword(users, user, row) ? readTokenFields(row, client, user) : undefined;
  }
}
