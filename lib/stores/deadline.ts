import { InvalidArgumentError, TemporarilyUnavailableError } from '../errors/index.js';
import { isOutage } from './outage.js';

/** An operation of a store that has a deadline. */
export interface TimedOperation {
  isTimedOut: boolean;
  /** Why the operation has not completed yet. The error message contains it if the deadline passes. */
  reason: string;
  /** Called if the deadline passes, to release what the operation holds. */
  cancel: (() => void) | undefined;
}

/** The option that limits how long a store waits for its database. */
export interface DeadlineOption {
  /**
   * Maximum seconds to wait for the database. After that, requests fail with 503 `temporarily_unavailable`. Default:
   * `3`.
   */
  deadline?: number;
}

/** Maximum seconds of a timer. */
const MAX_SECONDS = 2 ** 31 / 1000;

/** Limits the time of operations. An operation that takes longer fails with `temporarily_unavailable`. */
export class Deadline {
  constructor(private readonly seconds: number = 3) {
    if (typeof seconds === 'number' && seconds > 0 && seconds < MAX_SECONDS) return;
    throw new InvalidArgumentError(
      'Invalid argument: `deadline` must be a positive number of seconds, at most 2147483',
    );
  }

  /**
   * Runs an operation. Rejects if the deadline passes; a later result is ignored.
   * @throws {TemporarilyUnavailableError} If the deadline passes, or the operation fails with an outage of the
   * database.
   */
  within<T>(work: (operation: TimedOperation) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const operation: TimedOperation = { isTimedOut: false, reason: 'no response', cancel: undefined };
      const end = () => {
        operation.isTimedOut = true;
        const cause = new Error(`The database did not respond within ${this.seconds} s: ${operation.reason}`);
        reject(unavailable(cause, this.seconds));
        operation.cancel?.();
      };
      // After a pause of the whole process, the response may be waiting unread: timers run before input is read.
      const timer = setTimeout(() => (last = setImmediate(end)), this.seconds * 1000);
      let last: NodeJS.Immediate | undefined;
      const settled = () => {
        clearTimeout(timer);
        if (last) clearImmediate(last);
      };
      work(operation).then(
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
