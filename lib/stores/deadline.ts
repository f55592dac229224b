import { InvalidArgumentError, TemporarilyUnavailableError } from '../errors/index.js';
import { isOutage } from './outage.js';

/** Work of a store, as long as somebody waits for it. */
export interface TimedOperation {
  isTimedOut: boolean;
  /** What it waits for, which is said when it was in vain. */
  reason: string;
  /** Lets go of what it holds when nobody waits any more. */
  cancel: (() => void) | undefined;
}

/** How long a store waits for its database. */
export interface DeadlineOption {
  /** How many seconds an answer of the database may take; then it is 503 `temporarily_unavailable`. Default: 3 */
  deadline?: number;
}

/** What a timer can count. */
const MAX_SECONDS = 2 ** 31 / 1000;

/** Limits the time of an operation. An operation that takes longer fails with `temporarily_unavailable`. */
export class Deadline {
  constructor(private readonly seconds: number = 3) {
    if (typeof seconds === 'number' && seconds > 0 && seconds < MAX_SECONDS) return;
    throw new InvalidArgumentError('Invalid argument: `deadline` must be a positive number of seconds');
  }

  /** Does what it is given; what comes of it too late, nobody hears. */
  within<T>(work: (wait: TimedOperation) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait: TimedOperation = { isTimedOut: false, reason: 'it gave no answer', cancel: undefined };
      const end = () => {
        wait.isTimedOut = true;
        const cause = new Error(`The database did not answer within ${this.seconds} s: ${wait.reason}`);
        reject(unavailable(cause, this.seconds));
        wait.cancel?.();
      };
      // After a pause of the whole process the answer may lie there unread: timers come first.
      const timer = setTimeout(() => (last = setImmediate(end)), this.seconds * 1000);
      let last: NodeJS.Immediate | undefined;
      const settled = () => {
        clearTimeout(timer);
        if (last) clearImmediate(last);
      };
      work(wait).then(
        (result) => (settled(), resolve(result)),
        (error: unknown) => (settled(), reject(isOutage(error) ? unavailable(error, 1) : error)),
      );
    });
  }
}

function unavailable(cause: unknown, retryAfter: number): TemporarilyUnavailableError {
  const { message } = cause as Error;
  return new TemporarilyUnavailableError(cause instanceof Error ? cause : new Error(message, { cause }), {
    retryAfter,
  });
}
