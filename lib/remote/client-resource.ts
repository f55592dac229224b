import { type OAuthError, TemporarilyUnavailableError } from '../errors/index.js';

/** Errors that were caused by a document or keys at a URL of a client that could not be fetched. */
const unreachable = new WeakSet<OAuthError>();

/**
 * Creates the error for a document or keys at a URL of a client that cannot be fetched at the moment. Any client can
 * cause this error, so it is logged at a lower level than a server error.
 * @param reason For the log only. The client receives a general message.
 */
export function unreachableResource(reason: string, cause?: unknown): TemporarilyUnavailableError {
  const error = new TemporarilyUnavailableError(new Error(reason, { cause }), { retryAfter: 5 });
  unreachable.add(error);
  return error;
}

/** Whether an operation failed because a document or keys at a URL of a client cannot be fetched at the moment. */
export const isUnreachableResource = (error: OAuthError): boolean => unreachable.has(error);
