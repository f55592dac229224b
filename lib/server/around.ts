import type { Instrumentation, RunningOperation } from '../contracts/instrumentation.js';
import { answerError } from '../endpoints/operation.js';
import { ServerError, toOAuthError } from '../errors/index.js';
import type { Response } from '../http/response.js';

/**
 * Runs around an operation. It calls `run` once. With a target, the operation runs on that server instead, with the wrappers of that
 * server around it.
 */
export type Around<Target> = <T>(operation: RunningOperation, run: (target?: Target) => Promise<T>) => Promise<T>;

/** An operation to run, with the response that it writes. */
interface Call<T, Target> {
  readonly operation: RunningOperation;
  readonly response: Response;
  readonly run: (target?: Target) => Promise<T>;
}

/** Returns the wrappers of all instrumentations as one, the first outermost. `undefined` if there are none. */
export function nested<Target>(all: readonly Instrumentation[]): Around<Target> | undefined {
  const wrappers = all.filter((one) => one.around !== undefined);
  if (wrappers.length === 0) return undefined;
  return <T>(operation: RunningOperation, run: () => Promise<T>) => {
    const innermost = () => run();
    // Async functions, so that a wrapper that throws synchronously rejects the promise that the next outer wrapper awaits.
    return wrappers.reduceRight((inner, one) => async () => one.around!(operation, inner), innermost)();
  };
}

/** Returns a wrapper that runs around another one. */
export function surrounding<Target>(outer: Around<Target>, inner: Around<Target> | undefined): Around<Target> {
  if (!inner) return outer;
  return (operation, run) => outer(operation, (target) => (target ? run(target) : inner(operation, run)));
}

/**
 * Runs an operation with a wrapper around it. The outcome is that of the operation, so that a wrapper that catches an error cannot
 * make a rejected token an accepted one. An error of the wrapper itself is written to the response.
 */
export async function runAround<T, Target>(
  around: Around<Target>,
  { operation, response, run }: Call<T, Target>,
): Promise<T> {
  let outcome: Promise<T> | undefined;
  try {
    await around(operation, (target) => (outcome ??= run(target)));
  } catch (error) {
    await outcome;
    throw answerError(response, toOAuthError(error));
  }
  if (outcome) return outcome;
  throw answerError(
    response,
    new ServerError(`Server error: a wrapper of \`${operation.name}\` did not call \`run()\``),
  );
}
