import type { NotificationModel, StoredNotification } from '../model/notifications.js';
import { RequestStore } from './request-store.js';
import { NOTIFICATIONS } from './user-records.js';
import type { Storage } from './storage.js';

/** The part of a store that keeps messages to clients. Each is a grant without tokens, which every storage can list and remove. */
export abstract class NotificationStore<S extends Storage> extends RequestStore<S> implements NotificationModel {
  async saveNotification({ id, ...message }: StoredNotification, expiresAt: Date): Promise<void> {
    const { createdAt } = message;
    const data = JSON.stringify(message);
    const owner = { clientId: NOTIFICATIONS, userId: NOTIFICATIONS, issuer: null, scope: null };
    const grant = { id, ...owner, data, createdAt, lastUsedAt: createdAt, expiresAt: expiresAt.getTime() };
    await this.storage.keep(grant, []);
  }

  async listNotifications(): Promise<StoredNotification[]> {
    const grants = await this.storage.listGrants(NOTIFICATIONS);
    return grants.map(({ id, data }) => Object.assign(JSON.parse(data!) as Omit<StoredNotification, 'id'>, { id }));
  }

  async claimNotification(id: string, seconds: number): Promise<boolean> {
    return this.once(`notification ${id}`, seconds);
  }

  async removeNotification(id: string): Promise<void> {
    await this.storage.revokeGrants({ userId: NOTIFICATIONS, grantId: id });
  }
}
