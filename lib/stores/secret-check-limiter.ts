import { TemporarilyUnavailableError } from '../errors/index.js';

/** How many of a client's checks may wait, beside the one under way. */
const WAITING = 16;
/** Milliseconds after which a check is not worth beginning: nobody waits for it any more. */
const PATIENCE = 5000;
/** Seconds after which whoever was sent away may come again. */
const RETRY_AFTER = 2;

/** Two of the four threads that libuv has, for files and name look-ups as well; one where there are fewer. */
const AT_ONCE = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4) > 3 ? 2 : 1;

interface Turn {
  begin(): void;
  refuse(): void;
  /** By a clock that nobody sets. */
  until: number;
}

/** Who waits: the first of each is the next, and the rest of its own goes to the end of the line. */
const waiting = new Map<string, Turn[]>();
const busy = new Set<string>();

/**
 * Checks the secret of a client when it is its turn, one check of a client at a time: those of one client keep another
 * waiting for no longer than a single one. It holds for the whole process, which has one pool of threads.
 * @throws TemporarilyUnavailableError when too many wait for this client already, or waiting took too long
 */
export function withClientLimit<T>(clientId: string, check: () => Promise<T>): Promise<T> {
  const line = `client ${clientId}`;
  const isFull = (waiting.get(line)?.length ?? 0) >= WAITING;
  return isFull ? Promise.reject(tooMany()) : lineUp(line, check, performance.now() + PATIENCE);
}

/** Hashes for the host when it is its turn, however many wait: nobody from outside asks for that. */
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

/** The first that is still worth it. */
function nextOf(turns: Turn[]): Turn | undefined {
  for (let turn = turns.shift(); turn; turn = turns.shift()) {
    if (turn.until >= performance.now()) return turn;
    turn.refuse();
  }
  return undefined;
}

function tooMany(): TemporarilyUnavailableError {
  const reason = 'Temporarily unavailable: too many secrets of this client are being checked';
  return new TemporarilyUnavailableError(reason, { retryAfter: RETRY_AFTER });
}
