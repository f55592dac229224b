import { FetchError } from '../http/safe-fetch/index.js';
import { unreachableResource } from './client-resource.js';

/**
 * What becomes of a failure to fetch what somebody has named: nobody's fault for a while, or theirs. Any other failure stays what it is.
 * @param makeError makes the error that they are told, of what only the operator hears
 */
export function fetchFailure(error: unknown, what: string, makeError: (given: string) => Error): Error {
  if (!(error instanceof FetchError)) return error as Error;
  return error.isTemporary
    ? unreachableResource(`${what} cannot be read: ${error.message}`, error)
    : makeError(error.message);
}
