import { TemporarilyUnavailableError } from '../errors/index.js';

/** Maximum number of waiting checks of one client, in addition to the running one. */
const WAITING = 16;
/** Maximum milliseconds for which a check waits. Clients have given up after that. */
const PATIENCE = 5000;
/** Seconds after which a rejected client should retry (`Retry-After`). */
const RETRY_AFTER = 2;

/**
 * Maximum number of concurrent hash computations: two of the four threads of libuv, which files and name look-ups also
 * need.
 */
const AT_ONCE = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) > 3 ? 2 : 1;

interface Turn {
  begin(): void;
  refuse(): void;
  /** The time by which the check must start, by a monotonic clock. */
  until: number;
}

/**
 * The waiting checks by queue. The next check is the first of the first queue that is not busy, and its queue moves to
 * the end.
 */
const waiting = new Map<string, Turn[]>();
const busy = new Set<string>();

/**
 * Checks the secret of a client, at most one check of a client at a time. Clients take turns, so a client with many
 * checks delays another client by one check. The limit holds for the whole process, which has one thread pool.
 * @throws {TemporarilyUnavailableError} If too many checks of this client are waiting, or this one has waited too long.
 */
export function withClientLimit<T>(clientId: string, check: () => Promise<T>): Promise<T> {
  const line = `client ${clientId}`;
  const isFull = (waiting.get(line)?.length ?? 0) >= WAITING;
  return isFull ? Promise.reject(tooMany()) : lineUp(line, check, performance.now() + PATIENCE);
}

/** Computes a hash for the application, one at a time. Calls are never rejected, since clients cannot cause them. */
export function withApplicationLimit<T>(work: () => Promise<T>): Promise<T> {
  return lineUp('host', work, Infinity);
}

function lineUp<T>(line: string, work: () => Promise<T>, until: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      busy.add(line);
      const end = () => {
        busy.delete(line);
        proceed();
      };
      work().then(resolve, reject).finally(end);
    };
    const turns = waiting.get(line) ?? [];
    turns.push({ begin, refuse: () => reject(tooMany()), until });
    waiting.set(line, turns);
    proceed();
  });
}

function proceed(): void {
  for (const [line, turns] of waiting) {
    if (busy.size >= AT_ONCE) return;
    if (busy.has(line)) continue;
    const turn = nextOf(turns);
    waiting.delete(line);
    if (turns.length > 0) waiting.set(line, turns);
    turn?.begin();
  }
}

/** Returns the first check that has not waited too long, and rejects those before it. */
function nextOf(turns: Turn[]): Turn | undefined {
  for (let turn = turns.shift(); turn; turn = turns.shift()) {
    if (turn.until >= performance.now()) return turn;
    turn.refuse();
  }
  return undefined;
}

function tooMany(): TemporarilyUnavailableError {
  const reason = 'Temporarily unavailable: too many secrets of this client are being verified';
  return new TemporarilyUnavailableError(reason, { retryAfter: RETRY_AFTER });
}
