import { FetchError } from '../http/safe-fetch/index.js';
import { unreachableResource } from './client-resource.js';

/**
 * Converts the failure of a fetch to the error of the operation. A temporary failure becomes `temporarily_unavailable`,
 * any other `FetchError` the error that `makeError` creates. Errors of other types are returned unchanged.
 * @param makeError Creates the error for the client. Its argument is the message of the failure, for the log only.
 */
export function fetchFailure(error: unknown, what: string, makeError: (given: string) => Error): Error {
  if (!(error instanceof FetchError)) return error as Error;
  return error.isTemporary
    ? unreachableResource(`${what} cannot be read: ${error.message}`, error)
    : makeError(error.message);
}
