import type { Awaitable } from './model.js';

/** A message to a client that waits for its delivery: that a user has signed out, or has decided elsewhere. */
export interface StoredNotification {
  id: string;
  /** `logout`: a back-channel logout token. `ping`: a CIBA ping. */
  kind: 'logout' | 'ping';
  /** The issuer that sends it. */
  issuer: string;
  clientId: string;
  /** The host that receives it. Each host has a share of the deliveries. */
  host: string;
  /** The parameters of the message. */
  data: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/**
 * Stores messages to clients until they are delivered, so that they survive the process. For the features `logout` and `ciba`. A model
 * without these methods has its messages delivered by the process alone.
 */
export interface NotificationModel {
  /** Stores a message until it is removed or expires. */
  saveNotification(notification: StoredNotification, expiresAt: Date): Awaitable<unknown>;
  /** Lists the stored messages, claimed ones too, without expired ones. */
  listNotifications(): Awaitable<readonly StoredNotification[]>;
  /** Claims a message for `seconds`, by the clock of the store. Returns true to exactly one of several concurrent callers. */
  claimNotification(id: string, seconds: number): Awaitable<boolean>;
  removeNotification(id: string): Awaitable<unknown>;
}

/** Whether a model stores messages to clients. */
export const storesNotifications = <M extends object>(model: M): model is M & NotificationModel =>
  ['saveNotification', 'listNotifications', 'claimNotification', 'removeNotification'].every(
    (name) => typeof (model as Record<string, unknown>)[name] === 'function',
  );
