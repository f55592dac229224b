import type { Instrumentation, RunningOperation } from '../contracts/instrumentation.js';
import { respondWithError } from '../endpoints/operation.js';
import { type OAuthError, ServerError, toOAuthError } from '../errors/index.js';
import { Response } from '../http/response.js';

/**
 * A function that runs around an operation. It must call `run` once. If it passes another server as `target`, the
 * operation runs on that server, inside the wrappers of that server.
 */
export type Around<Target> = <T>(operation: RunningOperation, run: (target?: Target) => Promise<T>) => Promise<T>;

/** An operation to run inside a wrapper, and the response that it writes. */
interface Call<T, Target> {
  readonly operation: RunningOperation;
  readonly response: Response;
  readonly run: (target?: Target) => Promise<T>;
}

/**
 * Combines the `around()` wrappers of all instrumentations into one. The first is the outermost. Returns `undefined` if
 * no instrumentation has such a wrapper.
 */
export function nestWrappers<Target>(all: readonly Instrumentation[]): Around<Target> | undefined {
  const wrappers = all.filter((one) => one.around !== undefined);
  if (wrappers.length === 0) return undefined;
  return <T>(operation: RunningOperation, run: () => Promise<T>) => {
    const innermost = () => run();
    // Async functions turn synchronous exceptions of a wrapper into rejections for the outer wrapper.
    return wrappers.reduceRight((inner, one) => async () => one.around!(operation, inner), innermost)();
  };
}

/**
 * Returns a wrapper that runs `outer` around `inner`. If `outer` passes another server as target, `inner` is skipped.
 */
export function wrapOuter<Target>(outer: Around<Target>, inner: Around<Target> | undefined): Around<Target> {
  if (!inner) return outer;
  return (operation, run) => outer(operation, (target) => (target ? run(target) : inner(operation, run)));
}

/**
 * Runs an operation inside a wrapper. If the operation fails, its error is the outcome, even if the wrapper catches it.
 * If the wrapper itself fails, its error is written to the response. If it does not call `run`, a server error is
 * written. If `run` is first called after the wrapper has ended, the call fails.
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

/**
 * Returns a rejected promise for a late call of `run()`. Its rejection counts as handled, so that a wrapper that
 * ignores it does not end the process.
 */
function rejectLate(): Promise<never> {
  const late = Promise.reject(new ServerError('Server error: `run()` was called after the wrapper had ended'));
  late.catch(() => undefined);
  return late;
}

/**
 * Writes the error of a wrapper to the response, and replaces what the operation has written, such as a redirect with a
 * code.
 */
function writeFailure(response: Response, error: OAuthError): OAuthError {
  if (response instanceof Response) for (const name of ['location', 'content-type']) delete response.headers[name];
  return respondWithError(response, error);
}
