import { FetchError } from '../http/safe-fetch/index.js';
import { unreachableResource } from './client-resource.js';

/**
 * Converts the failure of a fetch to the error of the operation. A temporary `FetchError` becomes
 * `temporarily_unavailable`. For any other `FetchError`, `makeError` creates the error. Errors of other types are
 * returned unchanged.
 * @param what The name of the fetched document, for the log.
 * @param makeError Creates the error for the client. Its argument is the message of the failure, for the log only.
 */
export function fetchFailure(error: unknown, what: string, makeError: (given: string) => Error): Error {
  if (!(error instanceof FetchError)) return error as Error;
  return error.isTemporary
    ? unreachableResource(`${what} cannot be read: ${error.message}`, error)
    : makeError(error.message);
}
