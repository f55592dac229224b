import type { Instrumentation, RunningOperation } from '../contracts/instrumentation.js';
import { respondWithError } from '../endpoints/operation.js';
import { type OAuthError, ServerError, toOAuthError } from '../errors/index.js';
import { Response } from '../http/response.js';

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
export function nestWrappers<Target>(all: readonly Instrumentation[]): Around<Target> | undefined {
  const wrappers = all.filter((one) => one.around !== undefined);
  if (wrappers.length === 0) return undefined;
  return <T>(operation: RunningOperation, run: () => Promise<T>) => {
    const innermost = () => run();
    // Async functions, so that a wrapper that throws synchronously rejects the promise that the next outer wrapper awaits.
    return wrappers.reduceRight((inner, one) => async () => one.around!(operation, inner), innermost)();
  };
}

/** Returns a wrapper that runs around another one. */
export function wrapOuter<Target>(outer: Around<Target>, inner: Around<Target> | undefined): Around<Target> {
  if (!inner) return outer;
  return (operation, run) => outer(operation, (target) => (target ? run(target) : inner(operation, run)));
}

/**
 * Runs an operation with a wrapper around it. The outcome is that of the operation, so that a wrapper that catches an error cannot
 * make a rejected token an accepted one. An error of the wrapper itself is written to the response. A wrapper that calls `run` after it
 * has ended gets an error: the request was answered by then.
 */
export async function runAround<T, Target>(
  around: Around<Target>,
  { operation, response, run }: Call<T, Target>,
): Promise<T> {
  let outcome: Promise<T> | undefined;
  let hasEnded = false;
  const runOnce = (target?: Target) => (outcome ??= hasEnded ? rejectLate() : run(target));
  try {
    await around(operation, runOnce);
  } catch (error) {
    hasEnded = true;
    await outcome;
    throw writeFailure(response, toOAuthError(error));
  }
  hasEnded = true;
  if (outcome) return outcome;
  throw writeFailure(
    response,
    new ServerError(`Server error: a wrapper of \`${operation.name}\` did not call \`run()\``),
  );
}

/** Returns a rejected promise. A wrapper that ignores it causes no unhandled rejection, which would end the process. */
function rejectLate(): Promise<never> {
  const late = Promise.reject(new ServerError('Server error: `run()` was called after the wrapper had ended'));
  late.catch(() => undefined);
  return late;
}

/** Writes the error of a wrapper over the response that the operation has written, such as a redirect with a code. */
function writeFailure(response: Response, error: OAuthError): OAuthError {
  if (response instanceof Response) for (const name of ['location', 'content-type']) delete response.headers[name];
  return respondWithError(response, error);
}
