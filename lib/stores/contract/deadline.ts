import { InvalidArgumentError, TemporarilyUnavailableError } from '../../errors/index.js';
import { isOutage } from './outage.js';

/** The state of a store operation that runs within a deadline. */
export interface TimedOperation {
  isTimedOut: boolean;
  /** The condition that the operation is waiting for. The error message contains it if the deadline passes. */
  reason: string;
  /** Set by the operation to release its resources. Called if the deadline passes. */
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

/** Maximum seconds of a deadline: `setTimeout()` cannot wait longer. */
const MAX_SECONDS = 2 ** 31 / 1000;

/** Limits the time of database operations. An operation that takes longer fails with 503 `temporarily_unavailable`. */
export class Deadline {
  constructor(readonly seconds: number = 3) {
    if (typeof seconds === 'number' && seconds > 0 && seconds < MAX_SECONDS) return;
    throw new InvalidArgumentError(
      'Invalid argument: `deadline` must be a positive number of seconds, at most 2147483',
    );
  }

  /**
   * Runs an operation and returns its result. If the deadline passes first, cancels the operation if that is possible,
   * and ignores its result.
   * @throws {TemporarilyUnavailableError} If the deadline passes, or the operation fails because the database is
   * unavailable. Other errors of the operation are passed on.
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
      // After a pause of the whole process, timers run before input is read. So an arrived response is read first,
      // before the deadline passes.
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
