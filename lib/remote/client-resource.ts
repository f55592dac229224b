import { type OAuthError, TemporarilyUnavailableError } from '../errors/index.js';

/** Errors whose cause is a URL that a client has chosen. */
const unreachable = new WeakSet<OAuthError>();

/**
 * Creates the error for a document or keys at a URL of a client that cannot be fetched for now. Any client can cause it, so its log line has
 * a lower level than a fault of the server.
 */
export function unreachableResource(reason: string, cause?: unknown): TemporarilyUnavailableError {
  const error = new TemporarilyUnavailableError(new Error(reason, { cause }), { retryAfter: 5 });
  unreachable.add(error);
  return error;
}

/** Whether an operation failed because a document or keys at a URL of a client cannot be fetched for now. */
export const isUnreachableResource = (error: OAuthError): boolean => unreachable.has(error);
