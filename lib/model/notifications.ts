import type { Awaitable } from './model.js';

/** A message that is waiting for delivery: a logout token or a CIBA ping to a client, or an e-mail to a user. */
export interface StoredNotification {
  id: string;
  /** `logout`: a back-channel logout token. `ping`: a CIBA ping. `mail`: an e-mail to a user, without secrets. */
  kind: 'logout' | 'ping' | 'mail';
  /** The issuer that sends the notification. */
  issuer: string;
  clientId: string;
  /** The host name of the receiver. Stored messages and concurrent deliveries are limited per host and client. */
  host: string;
  /** The parameters of the notification, by name. */
  data: Readonly<Record<string, string>>;
  /** When the notification was created, in milliseconds since the epoch. */
  createdAt: number;
}

/**
 * Stores notifications to clients until they are delivered, so that they survive a restart. For the features `logout()`
 * and `ciba()`. Without these methods, notifications are kept only in the memory of the process.
 */
export interface NotificationModel {
  /** Stores a notification until it is removed or expires. */
  saveNotification(notification: StoredNotification, expiresAt: Date): Awaitable<unknown>;
  /** Lists all stored notifications that have not expired, including those that another process has claimed. */
  listNotifications(): Awaitable<readonly StoredNotification[]>;
  /**
   * Claims a notification for delivery, for a number of seconds by the clock of the store. Returns `true` to exactly
   * one of several concurrent callers.
   */
  claimNotification(id: string, seconds: number): Awaitable<boolean>;
  removeNotification(id: string): Awaitable<unknown>;
}

/** Whether a model implements the methods that store notifications. */
export const storesNotifications = <M extends object>(model: M): model is M & NotificationModel =>
  ['saveNotification', 'listNotifications', 'claimNotification', 'removeNotification'].every(
    (name) => typeof (model as Record<string, unknown>)[name] === 'function',
  );
