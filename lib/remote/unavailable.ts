import { TemporarilyUnavailableError } from '../errors/index.js';

/**
 * Whether a token is good cannot be found out now: never a reason to call it bad. What is said here, the fault log hears;
 * the client is told when to come again. RFC 6749 §4.1.2.1
 */
export function unavailable(reason: string, retryAfter = 1, cause?: unknown): TemporarilyUnavailableError {
  return new TemporarilyUnavailableError(new Error(reason, { cause }), { retryAfter });
}
