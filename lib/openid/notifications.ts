import { randomBytes } from 'node:crypto';

import { OAuthError } from '../errors/index.js';
import { FetchError } from '../http/safe-fetch/index.js';
import { type NotificationModel, type StoredNotification, storesNotifications } from '../model/notifications.js';
import { OutboundNotifications } from './outbound-notifications.js';

/** A message to a client, as a feature hands it over. */
export type NewNotification = Omit<StoredNotification, 'id' | 'createdAt'>;

/** Sends the messages of one kind and issuer. */
export interface NotificationSender {
  /** Sends a message, which may be some hours old. @throws FetchError If the client cannot be reached. */
  send(notification: StoredNotification): Promise<void>;
  /** Called when a message was delivered, or after each round of failed attempts. */
  done(notification: StoredNotification, failure: unknown): void;
}

/** Milliseconds until the first look for stored messages, and between two looks. */
const FIRST_SWEEP = 1000;
const SWEEP = 30_000;

/** Maximum number of stored messages, and of those to one host. Further ones are delivered by this process alone. */
const MAX_STORED = 2000;
const MAX_STORED_PER_HOST = 200;

/**
 * Delivers messages to clients. Where the model stores them, they survive the process: each process looks for messages that are not
 * delivered yet, and claims one before it sends it. A message is sent twice only if a process ends between sending and removing it.
 */
export class Notifications {
  private readonly senders = new Map<string, NotificationSender>();
  private readonly outbound = new OutboundNotifications();
  /** The ids of the stored messages that wait in this process. */
  private readonly accepted = new Set<string>();
  /** The number of stored messages by host, as of the last look. */
  private stored = new Map<string, number>();
  private readonly model: NotificationModel | undefined;

  private constructor(model: object) {
    this.model = storesNotifications(model) ? model : undefined;
  }

  /** The messages of a model: servers that share a model share them. */
  static of(model: object): Notifications {
    let known = byModel.get(model);
    if (!known) byModel.set(model, (known = new Notifications(model)));
    return known;
  }

  /** Sets what sends the messages of one kind and issuer, and begins to look for stored ones. */
  register(kind: StoredNotification['kind'], issuer: string, sender: NotificationSender): void {
    const isFirst = this.senders.size === 0;
    this.senders.set(keyOf({ kind, issuer }), sender);
    if (isFirst && this.model) startSweeping(new WeakRef(this));
  }

  /** Stores a message and begins to deliver it. @returns when it is stored */
  async add(given: NewNotification, expiresAt: Date): Promise<void> {
    const notification = { ...given, id: randomBytes(24).toString('base64url'), createdAt: Date.now() };
    this.deliver(notification, await this.store(notification, expiresAt));
  }

  /** Looks for stored messages that are due. */
  async sweep(): Promise<void> {
    const all = (await this.model?.listNotifications()) ?? [];
    const stored = new Map<string, number>();
    for (const { host } of all) stored.set(host, (stored.get(host) ?? 0) + 1);
    this.stored = stored;
    for (const one of all) this.deliver(one, true);
  }

  private async store(notification: StoredNotification, expiresAt: Date): Promise<boolean> {
    const { host } = notification;
    const count = this.stored.get(host) ?? 0;
    const total = [...this.stored.values()].reduce((sum, one) => sum + one, 0);
    if (!this.model || count >= MAX_STORED_PER_HOST || total >= MAX_STORED) return false;
    this.stored.set(host, count + 1);
    try {
      await this.model.saveNotification(notification, expiresAt);
      return true;
    } catch {
      // Without its store the process can still deliver the message itself.
      return false;
    }
  }

  private deliver(notification: StoredNotification, isStored: boolean): void {
    const sender = this.senders.get(keyOf(notification));
    const { id, host } = notification;
    if (!sender || this.accepted.has(id)) return;
    this.accepted.add(id);
    let isClaimed = !isStored;
    let isForeign = false;
    this.outbound.add({
      host,
      isStored,
      send: async () => {
        // Claimed only now: a claim must not expire while the message waits for its turn.
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

  private async remove({ id, host }: StoredNotification): Promise<void> {
    this.stored.set(host, Math.max((this.stored.get(host) ?? 0) - 1, 0));
    try {
      await this.model!.removeNotification(id);
    } catch {
      // It is sent again when the claim has expired.
    }
  }
}

const byModel = new WeakMap<object, Notifications>();

const keyOf = ({ kind, issuer }: Pick<StoredNotification, 'kind' | 'issuer'>) => `${kind} ${issuer}`;

/** Whether a later attempt may succeed: the client is in trouble, or this server is. */
function isRetried(failure: unknown): boolean {
  if (failure === undefined) return false;
  if (failure instanceof FetchError) return failure.isTemporary;
  return !(failure instanceof OAuthError) || failure.code >= 500;
}

/**
 * The seconds for which a process claims a message: longer than one round of attempts takes, and so long that later rounds are rarer. The
 * age compares clocks of two processes. However they differ, the result stays within its bounds.
 */
function leaseOf({ createdAt }: StoredNotification): number {
  const age = (Date.now() - createdAt) / 1000;
  if (!(age >= 120)) return 60;
  return age < 3600 ? 300 : 1800;
}

/** Looks now and then, while the model is in use. No timer keeps the process alive. */
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
