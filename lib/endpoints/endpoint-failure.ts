import { type OAuthError, toOAuthError } from '../errors/index.js';
import { errorResponse, setRetryAfter } from '../http/error-response.js';
import type { Response } from '../http/response.js';

/**
 * Writes the status, the JSON body and `Retry-After` of a failed request at an endpoint to its response. RFC 6749 §5.2
 * @returns The error to throw.
 */
export function writeFailure(response: Response, error: unknown): OAuthError {
  const failure = toOAuthError(error);
  response.status = failure.code;
  response.body = errorResponse(failure);
  setRetryAfter(response, failure);
  return failure;
}
