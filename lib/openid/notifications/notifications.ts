import { randomBytes } from 'node:crypto';

import { OAuthError } from '../../errors/index.js';
import { FetchError } from '../../http/safe-fetch/index.js';
import { type NotificationModel, type StoredNotification, storesNotifications } from '../../model/notifications.js';
import { forEachGroup, groupOf } from './client-group.js';
import { FairQuota } from './fair-quota.js';
import { OutboundQueue } from './outbound-queue.js';

/** A message to a client, before it is stored. */
export type NewNotification = Omit<StoredNotification, 'id' | 'createdAt'>;

/** The interface that sends the messages of one kind for one issuer. */
export interface NotificationSender {
  /**
   * Sends a message, which may be some hours old.
   * @throws {FetchError} If the client cannot be reached.
   */
  send(notification: StoredNotification): Promise<void>;
  /**
   * Called when a message was delivered, with `undefined`, and after each round of failed attempts, with the failure.
   */
  done(notification: StoredNotification, failure: unknown): void;
}

/** Milliseconds until the stored messages are read for the first time. */
const FIRST_SWEEP = 1000;
/** Seconds after which a claim has certainly expired by the clock of the store. */
const CLAIM_MARGIN = 1;
/** Milliseconds between two reads of the stored messages. */
const SWEEP = 30_000;

/**
 * The delivery of messages to clients. If the model stores messages, they survive the end of a process: every process
 * reads undelivered messages and claims a message before it sends it. A message is sent twice only if the response of the
 * client is late or missing, or if a process ends after sending and before removing it.
 */
export class Notifications {
  private readonly senders = new Map<string, NotificationSender>();
  private readonly queues = forEachGroup((limits) => new OutboundQueue(limits));
  /** The IDs of the messages that wait or are being sent in this process, stored or not. */
  private readonly accepted = new Set<string>();
  /**
   * The counts of the stored messages, as last read. A message beyond the limits is not stored, and only this process
   * delivers it.
   */
  private stored = newCounts();
  private readonly model: NotificationModel | undefined;

  private constructor(model: object) {
    this.model = storesNotifications(model) ? model : undefined;
  }

  /** Returns the messages of a model. Servers with the same model share them. */
  static of(model: object): Notifications {
    let notifications = byModel.get(model);
    if (!notifications) byModel.set(model, (notifications = new Notifications(model)));
    return notifications;
  }

  /** Registers the sender for the messages of one kind and issuer, and starts to read stored messages. */
  register(kind: StoredNotification['kind'], issuer: string, sender: NotificationSender): void {
    const isFirst = this.senders.size === 0;
    this.senders.set(keyOf({ kind, issuer }), sender);
    if (isFirst && this.model) startSweeping(new WeakRef(this));
  }

  /**
   * Stores a message and starts its delivery. Resolves before it is delivered. If it cannot be stored, this process
   * still delivers it.
   * @param delay Seconds after which the delivery starts. Default: `0`.
   */
  async add(message: NewNotification, expiresAt: Date, delay = 0): Promise<void> {
    const notification = { ...message, id: randomBytes(24).toString('base64url'), createdAt: Date.now() };
    const isStored = await this.store(notification, expiresAt);
    if (delay === 0) {
      this.deliver(notification, isStored);
      return;
    }
    // The claim keeps the other processes from sending the message before. They send it if this process ends.
    if (isStored) await this.model!.claimNotification(notification.id, delay);
    const wait = (delay + CLAIM_MARGIN) * 1000;
    setTimeout(() => this.deliver(notification, isStored), wait).unref();
  }

  /** Reads the stored messages and delivers those that are due. */
  async sweep(): Promise<void> {
    const all = (await this.model?.listNotifications()) ?? [];
    const stored = newCounts();
    for (const one of all) stored[groupOf(one.clientId)].add(one);
    this.stored = stored;
    for (const one of all) this.deliver(one, true);
  }

  private async store(notification: StoredNotification, expiresAt: Date): Promise<boolean> {
    if (!this.model || !this.stored[groupOf(notification.clientId)].take(notification)) return false;
    try {
      await this.model.saveNotification(notification, expiresAt);
      return true;
    } catch {
      // If the message cannot be stored, this process still delivers it.
      return false;
    }
  }

  private deliver(notification: StoredNotification, isStored: boolean): void {
    const sender = this.senders.get(keyOf(notification));
    const { id, host, clientId } = notification;
    if (!sender || this.accepted.has(id)) return;
    this.accepted.add(id);
    let isClaimed = !isStored;
    let isForeign = false;
    this.queues[groupOf(clientId)].add({
      host,
      clientId,
      isStored,
      send: async () => {
        // Claim the message only now: a claim must not expire while the message waits in the queue.
        if (!isClaimed) isClaimed = await this.model!.claimNotification(id, leaseOf(notification));
        isForeign = !isClaimed;
        if (isClaimed) await sender.send(notification);
      },
      done: (failure) => {
        this.accepted.delete(id);
        if (isForeign || (isStored && !isClaimed)) return;
        if (isStored && !isRetried(failure)) void this.remove(notification);
        sender.done(notification, failure);
      },
    });
  }

  private async remove(notification: StoredNotification): Promise<void> {
    this.stored[groupOf(notification.clientId)].release(notification);
    try {
      await this.model!.removeNotification(notification.id);
    } catch {
      // The message is sent again after the claim has expired.
    }
  }
}

const newCounts = () => forEachGroup(({ stored, storedPerHost }) => new FairQuota(stored, storedPerHost));

const byModel = new WeakMap<object, Notifications>();

const keyOf = ({ kind, issuer }: Pick<StoredNotification, 'kind' | 'issuer'>) => `${kind} ${issuer}`;

/** Whether a later attempt may succeed, because the client or this server has a temporary problem. */
function isRetried(failure: unknown): boolean {
  if (failure === undefined) return false;
  if (failure instanceof FetchError) return failure.isTemporary;
  return !(failure instanceof OAuthError) || failure.code >= 500;
}

/**
 * Returns the seconds for which a process claims a message. They exceed one round of attempts, and grow with the age of
 * the message, so that retries become rarer. The age may be wrong because clocks differ, but the result stays within
 * fixed limits.
 */
function leaseOf({ createdAt }: StoredNotification): number {
  const age = (Date.now() - createdAt) / 1000;
  if (!(age >= 120)) return 60;
  return age < 3600 ? 300 : 1800;
}

/** Reads stored messages periodically while the model is in use. The timers do not keep the process alive. */
function startSweeping(reference: WeakRef<Notifications>): void {
  const look = () => {
    const notifications = reference.deref();
    if (notifications) notifications.sweep().catch(() => undefined);
    else clearInterval(timer);
  };
  const timer = setInterval(look, SWEEP);
  timer.unref();
  setTimeout(look, FIRST_SWEEP).unref();
}
