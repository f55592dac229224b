import { AsyncLocalStorage } from 'node:async_hooks';

import { TemporarilyUnavailableError } from '../errors/index.js';

/** Maximum number of hashes of one queue that may wait, in addition to the running one. */
const MAX_WAITING = 16;
/** Maximum milliseconds for which a hash waits to start. Clients and users have given up after that. */
const MAX_WAIT = 5000;
/** Seconds after which a request should be sent again that was rejected because too many hashes wait (`Retry-After`). */
const RETRY_AFTER = 2;

/**
 * Maximum number of concurrent hash computations: two of the four threads of libuv, since signatures, file access and
 * name look-ups need threads too. One, if libuv has fewer threads.
 */
const MAX_CONCURRENT = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) > 3 ? 2 : 1;

interface WaitingWork {
  begin(): void;
  refuse(): void;
  /** The time by which the work must start, by a monotonic clock. */
  until: number;
}

/**
 * The waiting hashes by queue: one queue for each client, network or known browser, and one for the application. The
 * next hash is the first of the first queue of which no hash is running. That queue then moves to the end.
 */
const queues = new Map<string, WaitingWork[]>();
const busyQueues = new Set<string>();

/** The queue of the hashes of an asynchronous call, and whether the call is computing one now. */
interface CallerOfHashes {
  readonly queue: string;
  hasTurn: boolean;
}

const callers = new AsyncLocalStorage<CallerOfHashes>();

/** Runs a function whose hashes belong to a queue: that of a client, a network or a known browser. */
export function withQueue<T>(queue: string, work: () => T): T {
  return callers.getStore()?.hasTurn ? work() : callers.run({ queue, hasTurn: false }, work);
}

/**
 * Runs an expensive computation, such as the hash of a password or of a client secret, when its queue has the turn.
 * Only one computation of each queue runs at a time, and queues take turns. So a network with many sign-ins delays a
 * user of another network by one hash. The limit holds for the whole process, which has one thread pool.
 *
 * Outside of `withQueue()`, the computation belongs to the application, and is never rejected. A computation inside of
 * another one has the turn already.
 * @throws {TemporarilyUnavailableError} If too many computations of the queue are waiting, or this one has waited too
 * long.
 */
export function withTurn<T>(work: () => Promise<T>): Promise<T> {
  const caller = callers.getStore();
  if (caller?.hasTurn) return work();
  if (!caller) return enqueue('application', work, Infinity);
  const isFull = (queues.get(caller.queue)?.length ?? 0) >= MAX_WAITING;
  return isFull ? Promise.reject(tooMany()) : enqueue(caller.queue, work, performance.now() + MAX_WAIT);
}

function enqueue<T>(queueName: string, work: () => Promise<T>, until: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      busyQueues.add(queueName);
      const caller = { queue: queueName, hasTurn: true };
      const end = () => {
        caller.hasTurn = false;
        busyQueues.delete(queueName);
        startNext();
      };
      callers
        .run(caller, async () => work())
        .then(resolve, reject)
        .finally(end);
    };
    const queue = queues.get(queueName) ?? [];
    queue.push({ begin, refuse: () => reject(tooMany()), until });
    queues.set(queueName, queue);
    startNext();
  });
}

function startNext(): void {
  for (const [queueName, queue] of queues) {
    if (busyQueues.size >= MAX_CONCURRENT) return;
    if (busyQueues.has(queueName)) continue;
    const next = nextOf(queue);
    queues.delete(queueName);
    if (queue.length > 0) queues.set(queueName, queue);
    next?.begin();
  }
}

/**
 * Removes and returns the first work of a queue that has not waited too long. Rejects those before it. Returns
 * `undefined` if none is left.
 */
function nextOf(queue: WaitingWork[]): WaitingWork | undefined {
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (next.until >= performance.now()) return next;
    next.refuse();
  }
  return undefined;
}

function tooMany(): TemporarilyUnavailableError {
  const reason = 'Temporarily unavailable: too many requests of this sender are waiting for a password or secret';
  return new TemporarilyUnavailableError(reason, { retryAfter: RETRY_AFTER });
}
