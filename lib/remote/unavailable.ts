import { TemporarilyUnavailableError } from '../errors/index.js';

/**
 * Creates the error for a token that cannot be verified at the moment, which must not be reported as invalid. `reason`
 * is logged, and the client receives a general message.
 * @param retryAfter Seconds that the client receives as `Retry-After`. RFC 6749 §4.1.2.1
 */
export function unavailable(reason: string, retryAfter = 1, cause?: unknown): TemporarilyUnavailableError {
  return new TemporarilyUnavailableError(new Error(reason, { cause }), { retryAfter });
}
