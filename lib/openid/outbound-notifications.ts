import { FetchError } from '../http/safe-fetch/index.js';

/** A message to a client that the queue of this process sends. */
export interface OutboundNotification {
  /** The host of the receiving client. */
  host: string;
  /**
   * Whether the message may be dropped while its host does not respond, because it is stored and will be read again.
   */
  isStored: boolean;
  send(): Promise<void>;
  /** Called once: without a failure if the message was delivered, otherwise with the failure. */
  done(failure?: unknown): void;
}

/** A message that waits in the queue or is being sent. */
interface QueuedNotification {
  notification: OutboundNotification;
  /** The number of attempts so far. */
  attempts: number;
}

/** Maximum number of messages that wait or are being sent in this process, for all hosts together. */
const MAX_ACCEPTED = 1000;
/** Maximum number of messages that wait or are being sent in this process for one host. */
const MAX_PER_HOST = 100;
/** Maximum number of simultaneous attempts to send messages, for all hosts together. */
const CONCURRENCY = 32;
/** Maximum number of simultaneous attempts to send messages to one host. */
const CONCURRENCY_PER_HOST = 4;
/** Maximum number of simultaneous attempts to send messages to a host whose last attempt failed. */
const CONCURRENCY_WHEN_FAILING = 1;

/** Milliseconds to wait before the second and the third attempt, if the failure is temporary. */
const PAUSES = [300, 3000];

/** The messages for one host, and how many attempts are in progress. */
interface HostQueue {
  waiting: QueuedNotification[];
  running: number;
  /** The number of messages that wait, are being sent, or wait for another attempt. */
  accepted: number;
  isFailing: boolean;
}

/**
 * The queue that sends messages in the background. The hosts take turns, so that a host that never responds does not
 * delay the others.
 */
export class OutboundNotifications {
  /** The queues by host, in the order of their turns. */
  private readonly hosts = new Map<string, HostQueue>();
  private accepted = 0;
  private running = 0;

  add(notification: OutboundNotification): void {
    const queue = this.hosts.get(notification.host) ?? { waiting: [], running: 0, accepted: 0, isFailing: false };
    if (queue.accepted >= MAX_PER_HOST) return notification.done(busy(`${MAX_PER_HOST} for this host`));
    if (this.accepted >= MAX_ACCEPTED && !this.dropFromLongestQueue(queue))
      return notification.done(busy(String(MAX_ACCEPTED)));
    this.hosts.set(notification.host, queue);
    queue.accepted += 1;
    this.accepted += 1;
    this.enqueue(queue, { notification, attempts: 0 });
  }

  /**
   * Drops the newest waiting message of the host with the most messages, if that host has more messages than this one.
   * Returns whether a message was dropped.
   */
  private dropFromLongestQueue({ accepted }: HostQueue): boolean {
    let longest: HostQueue | undefined;
    for (const queue of this.hosts.values()) {
      if (queue.waiting.length > 0 && queue.accepted > (longest?.accepted ?? accepted + 1)) longest = queue;
    }
    const dropped = longest?.waiting.pop();
    if (!longest || !dropped) return false;
    this.release(longest, dropped.notification);
    dropped.notification.done(busy(String(MAX_ACCEPTED)));
    return true;
  }

  private enqueue(queue: HostQueue, accepted: QueuedNotification): void {
    queue.waiting.push(accepted);
    this.startNext();
  }

  private startNext(): void {
    while (this.running < CONCURRENCY) {
      const next = [...this.hosts].find(([, queue]) => mayBegin(queue));
      if (!next) return;
      const [host, queue] = next;
      this.hosts.delete(host);
      this.hosts.set(host, queue);
      void this.run(queue, queue.waiting.shift()!);
    }
  }

  private async run(queue: HostQueue, { notification, attempts }: QueuedNotification): Promise<void> {
    queue.running += 1;
    this.running += 1;
    const failure = await notification.send().then(
      () => undefined,
      (error: unknown) => error ?? new Error('unknown'),
    );
    queue.running -= 1;
    this.running -= 1;
    const isTemporary = failure instanceof FetchError && failure.isTemporary;
    queue.isFailing = isTemporary;
    const pause = isTemporary ? PAUSES[attempts] : undefined;
    if (pause === undefined) {
      this.release(queue, notification);
      notification.done(failure);
      if (isTemporary) this.dropStored(queue);
    } else {
      // A pending attempt does not keep the process alive.
      setTimeout(() => this.enqueue(queue, { notification, attempts: attempts + 1 }), pause).unref();
    }
    this.startNext();
  }

  /** Drops the stored messages that wait for a host that does not respond. */
  private dropStored(queue: HostQueue): void {
    const stored = queue.waiting.filter(({ notification }) => notification.isStored);
    queue.waiting = queue.waiting.filter(({ notification }) => !notification.isStored);
    for (const { notification } of stored) {
      this.release(queue, notification);
      notification.done(new FetchError('busy', 'the host of the client does not respond'));
    }
  }

  private release(queue: HostQueue, { host }: OutboundNotification): void {
    queue.accepted -= 1;
    this.accepted -= 1;
    if (queue.accepted === 0) this.hosts.delete(host);
  }
}

const mayBegin = ({ waiting, running, isFailing }: HostQueue): boolean =>
  waiting.length > 0 && running < (isFailing ? CONCURRENCY_WHEN_FAILING : CONCURRENCY_PER_HOST);

const busy = (limit: string) => new FetchError('busy', `too many notifications are waiting: ${limit}`);

/** Returns the host of a URL that a client registered, without the port. */
export const hostOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).hostname : '');
