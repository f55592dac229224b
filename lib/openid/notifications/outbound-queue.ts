import { FetchError } from '../../http/safe-fetch/index.js';
import type { GroupLimits } from './client-group.js';
import type { Receiver } from './fair-quota.js';

/** A message to a client that the queue of this process sends. */
export interface OutboundNotification extends Receiver {
  /**
   * Whether the message may be dropped while its client does not respond, because it is stored and will be read again.
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

/** The messages for one client at one host. */
interface ClientQueue {
  waiting: QueuedNotification[];
  /** The number of messages that wait, are being sent, or wait for another attempt. */
  accepted: number;
  /** Whether the last attempt to send a message to this client failed for a temporary reason. */
  isFailing: boolean;
}

/** The clients at one host, and how many attempts to reach them are in progress. */
interface HostQueue {
  /** The queues by client ID, in the order of their turns. */
  clients: Map<string, ClientQueue>;
  /** The number of messages that wait, are being sent, or wait for another attempt. */
  accepted: number;
  running: number;
  /** The number of attempts in progress to reach clients whose last attempt failed. */
  runningToFailing: number;
}

/** A client whose turn it is, and its host. */
interface Turn {
  host: HostQueue;
  client: ClientQueue;
}

/** Maximum number of simultaneous attempts to reach the clients of one host whose last attempt failed. */
const CONCURRENCY_WHEN_FAILING = 1;

/** Milliseconds to wait before the second and the third attempt, if the failure is temporary. */
const PAUSES = [300, 3000];

/**
 * The queue that sends messages in the background. Hosts take turns, and the clients of one host take turns. A host or
 * a client that never responds does not delay the others. If the queue is full, a message displaces one of the host and
 * the client with the most messages.
 */
export class OutboundQueue {
  /** The queues by host, in the order of their turns. */
  private readonly hosts = new Map<string, HostQueue>();
  private accepted = 0;
  private running = 0;

  constructor(private readonly limits: Omit<GroupLimits, 'stored' | 'storedPerHost'>) {}

  /** Sends a message when it is its turn. If too many messages wait, a message fails with `busy`: this or another one. */
  add(notification: OutboundNotification): void {
    const turn = this.queueOf(notification);
    this.count(turn, 1);
    const { queued, queuedPerHost } = this.limits;
    if (
      (turn.host.accepted > queuedPerHost && !this.dropFromLongest(turn.host, turn.client.accepted)) ||
      (this.accepted > queued && !this.dropFromLongestHost(turn.host.accepted))
    ) {
      this.finish(turn, notification, busy());
    } else {
      this.enqueue(turn, { notification, attempts: 0 });
    }
  }

  private queueOf({ host: name, clientId }: Receiver): Turn {
    const host = this.hosts.get(name) ?? { clients: new Map(), accepted: 0, running: 0, runningToFailing: 0 };
    const client = host.clients.get(clientId) ?? { waiting: [], accepted: 0, isFailing: false };
    host.clients.set(clientId, client);
    this.hosts.set(name, host);
    return { host, client };
  }

  private count({ host, client }: Turn, messages: number): void {
    this.accepted += messages;
    host.accepted += messages;
    client.accepted += messages;
  }

  /**
   * Drops the newest waiting message of the client with the most messages at a host, if it has more than `count`.
   * Returns whether a message was dropped.
   */
  private dropFromLongest(host: HostQueue, count: number): boolean {
    const client = longest(host.clients.values(), hasWaiting);
    if (!client || client.accepted <= count) return false;
    this.finish({ host, client }, client.waiting.pop()!.notification, busy());
    return true;
  }

  /** Drops a message of the host with the most messages, if it has more than `count`. */
  private dropFromLongestHost(count: number): boolean {
    const host = longest(this.hosts.values(), ({ clients }) => [...clients.values()].some(hasWaiting));
    return host !== undefined && host.accepted > count && this.dropFromLongest(host, 0);
  }

  private enqueue({ client }: Turn, queued: QueuedNotification): void {
    client.waiting.push(queued);
    this.startNext();
  }

  private startNext(): void {
    while (this.running < this.limits.concurrency) {
      const turn = this.takeTurn();
      if (!turn) return;
      void this.run(turn, turn.client.waiting.shift()!);
    }
  }

  /** Returns the next client to which a message may be sent, and moves it and its host to the end of the order. */
  private takeTurn(): Turn | undefined {
    for (const [name, host] of this.hosts) {
      if (host.running >= this.limits.concurrencyPerHost) continue;
      for (const [clientId, client] of host.clients) {
        if (client.waiting.length === 0) continue;
        if (client.isFailing && host.runningToFailing >= CONCURRENCY_WHEN_FAILING) continue;
        moveToEnd(host.clients, clientId, client);
        moveToEnd(this.hosts, name, host);
        return { host, client };
      }
    }
    return undefined;
  }

  private async run(turn: Turn, { notification, attempts }: QueuedNotification): Promise<void> {
    const failure = await this.attempt(turn, notification);
    const isTemporary = failure instanceof FetchError && failure.isTemporary;
    turn.client.isFailing = isTemporary;
    const pause = isTemporary ? PAUSES[attempts] : undefined;
    if (pause === undefined) {
      this.finish(turn, notification, failure);
      if (isTemporary) this.dropStored(turn);
    } else {
      // A pending attempt does not keep the process alive.
      setTimeout(() => this.enqueue(turn, { notification, attempts: attempts + 1 }), pause).unref();
    }
    this.startNext();
  }

  /** Sends a message, and returns the failure, if any. */
  private async attempt({ host, client }: Turn, notification: OutboundNotification): Promise<unknown> {
    const toFailing = client.isFailing ? 1 : 0;
    this.running += 1;
    host.running += 1;
    host.runningToFailing += toFailing;
    try {
      await notification.send();
      return undefined;
    } catch (error) {
      return error ?? new Error('unknown');
    } finally {
      this.running -= 1;
      host.running -= 1;
      host.runningToFailing -= toFailing;
    }
  }

  /** Drops the stored messages that wait for a client that does not respond. */
  private dropStored(turn: Turn): void {
    const { client } = turn;
    const stored = client.waiting.filter(({ notification }) => notification.isStored);
    client.waiting = client.waiting.filter(({ notification }) => !notification.isStored);
    for (const { notification } of stored) {
      this.finish(turn, notification, new FetchError('busy', 'the client does not respond'));
    }
  }

  private finish(turn: Turn, notification: OutboundNotification, failure: unknown): void {
    const { host, client } = turn;
    this.count(turn, -1);
    if (client.accepted === 0) host.clients.delete(notification.clientId);
    if (host.accepted === 0) this.hosts.delete(notification.host);
    notification.done(failure);
  }
}

const hasWaiting = ({ waiting }: ClientQueue): boolean => waiting.length > 0;

const busy = () => new FetchError('busy', 'too many notifications are waiting for this client or its host');

/** Returns the queue with the most messages among those that pass a filter. */
function longest<T extends { accepted: number }>(queues: Iterable<T>, isCandidate: (queue: T) => boolean) {
  let found: T | undefined;
  for (const queue of queues) {
    if (queue.accepted > (found?.accepted ?? 0) && isCandidate(queue)) found = queue;
  }
  return found;
}

function moveToEnd<T>(queues: Map<string, T>, key: string, queue: T): void {
  queues.delete(key);
  queues.set(key, queue);
}

/** Returns the host of a URL that a client registered, without the port. */
export const hostOf = (uri: string): string => (URL.canParse(uri) ? new URL(uri).hostname : '');
