import { TemporarilyUnavailableError } from '../errors/index.js';

/** Maximum number of secret checks of one client that may wait, in addition to the running one. */
const MAX_WAITING = 16;
/** Maximum milliseconds for which a secret check waits to start. Clients have given up after that. */
const MAX_WAIT = 5000;
/**
 * Seconds after which a client should retry that was rejected because too many of its secrets are being verified
 * (`Retry-After`).
 */
const RETRY_AFTER = 2;

/**
 * Maximum number of concurrent hash computations: two of the four threads of libuv, since file access and name look-ups
 * need threads too. One, if libuv has fewer threads.
 */
const MAX_CONCURRENT = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) > 3 ? 2 : 1;

interface WaitingCheck {
  begin(): void;
  refuse(): void;
  /** The time by which the check must start, by a monotonic clock. */
  until: number;
}

/**
 * The waiting secret checks by queue: one queue for each client, and one for the application. The next check is the
 * first of the first queue of which no check is running. That queue then moves to the end.
 */
const queues = new Map<string, WaitingCheck[]>();
const busyQueues = new Set<string>();

/**
 * Runs a check of a client secret. Only one check of each client runs at a time, and clients take turns, so a client
 * with many checks delays another client by one check. The limit holds for the whole process, which has one thread
 * pool.
 * @throws {TemporarilyUnavailableError} If too many checks of this client are waiting, or this one has waited too long.
 */
export function withClientLimit<T>(clientId: string, check: () => Promise<T>): Promise<T> {
  const queueName = `client ${clientId}`;
  const isFull = (queues.get(queueName)?.length ?? 0) >= MAX_WAITING;
  return isFull ? Promise.reject(tooMany()) : enqueue(queueName, check, performance.now() + MAX_WAIT);
}

/**
 * Runs a hash computation for the application, only one at a time. It is never rejected, however long it waits, since
 * clients cannot cause such calls.
 */
export function withApplicationLimit<T>(work: () => Promise<T>): Promise<T> {
  return enqueue('application', work, Infinity);
}

function enqueue<T>(queueName: string, work: () => Promise<T>, until: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      busyQueues.add(queueName);
      const end = () => {
        busyQueues.delete(queueName);
        startNext();
      };
      work().then(resolve, reject).finally(end);
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
    const check = nextOf(queue);
    queues.delete(queueName);
    if (queue.length > 0) queues.set(queueName, queue);
    check?.begin();
  }
}

/**
 * Removes and returns the first check of a queue that has not waited too long. Rejects those before it. Returns
 * `undefined` if none is left.
 */
function nextOf(queue: WaitingCheck[]): WaitingCheck | undefined {
  for (let check = queue.shift(); check; check = queue.shift()) {
    if (check.until >= performance.now()) return check;
    check.refuse();
  }
  return undefined;
}

function tooMany(): TemporarilyUnavailableError {
  const reason =
    'Temporarily unavailable: too many requests of this client are waiting for the verification of its secret';
  return new TemporarilyUnavailableError(reason, { retryAfter: RETRY_AFTER });
}
