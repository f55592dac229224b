import type { NotificationModel, StoredNotification } from '../../model/notifications.js';
import { newGrant } from '../contract/new-grant.js';
import type { StoreContext } from '../clients/store-context.js';

/** The owner of the messages. No user has an empty ID. */
const NO_USER = '';

/**
 * The part of a store that stores the messages to clients that are still to be delivered. Each message is a grant
 * without tokens, which every storage can list and remove.
 */
export class StoredNotifications implements NotificationModel {
  constructor(private readonly context: Pick<StoreContext, 'storage' | 'overridable'>) {}

  /** Stores a message until it is removed or expires. */
  async saveNotification({ id, ...message }: StoredNotification, expiresAt: Date): Promise<void> {
    const { createdAt } = message;
    const data = JSON.stringify(message);
    const times = { createdAt, lastUsedAt: createdAt, expiresAt: expiresAt.getTime() };
    await this.context.storage.save(newGrant({ id, kind: 'message', userId: NO_USER, data, ...times }), []);
  }

  /** Returns the messages to clients that are stored, also those that a process has claimed. */
  async listNotifications(): Promise<StoredNotification[]> {
    const grants = await this.context.storage.listGrants(NO_USER, ['message']);
    return grants.map(({ id, data }) => Object.assign(JSON.parse(data!) as Omit<StoredNotification, 'id'>, { id }));
  }

  /**
   * Claims a message for a number of seconds, so that only the caller delivers it. Returns `true` for exactly one of
   * several concurrent callers.
   */
  async claimNotification(id: string, seconds: number): Promise<boolean> {
    return this.context.overridable.once(`notification ${id}`, seconds);
  }

  /** Removes a message, so that it is not delivered again. */
  async removeNotification(id: string): Promise<void> {
    await this.context.storage.revokeGrants({ kinds: ['message'], grantId: id });
  }
}
