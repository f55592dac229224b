import { isGenuineClientItself } from '../tokens/client-subject.js';
import type { User } from '../model/model.js';
import { hasCurrentPassword, type PasswordMarked, passwordMark } from './password-mark.js';
import { isDisabled } from './managed-client.js';
import type { StoredClient } from './ports.js';
import { type StoredTokenFields, readTokenFields } from './rows.js';
import type { StoreContext } from './store-context.js';
import type { StoredRow } from './storage.js';

/** Moves a registered client that waits for its first use to the clients of the store. */
export type Promote = (clientId: string) => Promise<void>;

/** The part of a store that every code and token passes, when it is issued and when it is found. */
export class Grants {
  constructor(
    private readonly context: Pick<StoreContext, 'users' | 'overridable'>,
    private readonly promote: Promote,
  ) {}

  /**
   * Prepares a code or token that is issued to a client, before the grant is written: promotes a registered client that
   * waits for its first use, and adds the mark of the user's password.
   * @param user If omitted, no mark is added.
   */
  async prepare<T extends object>(issued: T, client: StoredClient, user?: User): Promise<T & PasswordMarked> {
    if (client.registeredUntil !== undefined) await this.promote(client.id);
    return user && this.context.users.credentialOf ? this.marked(issued, user) : issued;
  }

  /**
   * Adds the mark of the password that the application stores for the user. The user of a request may have fewer
   * fields.
   */
  async marked<T extends object>(issued: T, user: User): Promise<T & PasswordMarked> {
    if (!this.context.users.credentialOf || isGenuineClientItself(user)) return issued;
    const stored = await this.context.users.findById(String(user['id']));
    return stored ? { ...issued, credential: passwordMark(this.context.users, stored) } : issued;
  }

  /**
   * Returns what a row stores. Returns `undefined` if its client or user is gone, or the user has another password now.
   */
  async read(row: StoredRow): Promise<StoredTokenFields | undefined> {
    const { users, overridable } = this.context;
    const client = await overridable.clientOf(row);
    if (!client || isDisabled(client)) return undefined;
    const user = row.userId === null ? await overridable.getUserFromClient(client) : await users.findById(row.userId);
    return user && hasCurrentPassword(users, user, row) ? readTokenFields(row, client, user) : undefined;
  }
}
