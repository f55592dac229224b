import { FetchError } from '../http/safe-fetch/index.js';

/** A message that is sent to a client. */
export interface OutboundNotification {
  /** The host that receives it. */
  host: string;
  /** Whether it may be dropped while its host does not answer, because it is stored and comes again. */
  isStored: boolean;
  send(): Promise<void>;
  /** Called once, without a failure if the message was delivered. */
  done(failure?: unknown): void;
}

/** A delivery that waits or is under way. */
interface QueuedNotification {
  notification: OutboundNotification;
  /** The number of attempts so far. */
  attempts: number;
}

/** Maximum number of deliveries of a process, and of one host, that wait or are under way. */
const MAX_ACCEPTED = 1000;
const MAX_PER_HOST = 100;
/** Maximum number of simultaneous deliveries, to one host, and to a host that failed last time. */
const CONCURRENCY = 32;
const CONCURRENCY_PER_HOST = 4;
const CONCURRENCY_WHEN_FAILING = 1;

/** Milliseconds between the attempts, where another one may help. */
const PAUSES = [300, 3000];

/** The deliveries of one host. */
interface HostQueue {
  waiting: QueuedNotification[];
  running: number;
  /** All that are accepted: waiting, running, or between two attempts. */
  accepted: number;
  isFailing: boolean;
}

/** Delivers messages in the background. The hosts take turns, so that a host that never answers does not delay the others. */
export class OutboundNotifications {
  /** In the order in which the hosts have their turn. */
  private readonly hosts = new Map<string, HostQueue>();
  private accepted = 0;
  private running = 0;

  add(delivery: OutboundNotification): void {
    const queue = this.hosts.get(delivery.host) ?? { waiting: [], running: 0, accepted: 0, isFailing: false };
    if (queue.accepted >= MAX_PER_HOST) return delivery.done(busy(`${MAX_PER_HOST} to this host`));
    if (this.accepted >= MAX_ACCEPTED && !this.dropFromLongestQueue(queue))
      return delivery.done(busy(String(MAX_ACCEPTED)));
    this.hosts.set(delivery.host, queue);
    queue.accepted += 1;
    this.accepted += 1;
    this.enqueue(queue, { notification: delivery, attempts: 0 });
  }

  /** Drops the latest waiting delivery of the host that has most, if that has more than this one. */
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

  private async run(queue: HostQueue, { notification: delivery, attempts: tried }: QueuedNotification): Promise<void> {
    queue.running += 1;
    this.running += 1;
    const failure = await delivery.send().then(
      () => undefined,
      (error: unknown) => error ?? new Error('unknown'),
    );
    queue.running -= 1;
    this.running -= 1;
    const isPassing = failure instanceof FetchError && failure.isTemporary;
    queue.isFailing = isPassing;
    const pause = isPassing ? PAUSES[tried] : undefined;
    if (pause === undefined) {
      this.release(queue, delivery);
      delivery.done(failure);
      if (isPassing) this.dropStored(queue);
    } else {
      // A pending attempt does not keep the process alive.
      setTimeout(() => this.enqueue(queue, { notification: delivery, attempts: tried + 1 }), pause).unref();
    }
    this.startNext();
  }

  /** Drops the stored deliveries that wait for a host which does not answer. */
  private dropStored(queue: HostQueue): void {
    const stored = queue.waiting.filter(({ notification: delivery }) => delivery.isStored);
    queue.waiting = queue.waiting.filter(({ notification: delivery }) => !delivery.isStored);
    for (const { notification: delivery } of stored) {
      this.release(queue, delivery);
      delivery.done(new FetchError('busy', 'the host does not answer'));
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

const busy = (what: string) => new FetchError('busy', `${what} messages wait already`);

/** The host of a URL that a client registered, without the port. */
export const hostOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).hostname : '');
