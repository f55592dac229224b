import { isSignInPending } from '../endpoints/authorization/authorization-events.js';
import type { OAuthError } from '../errors/index.js';
import { isUnreachableResource } from '../remote/client-resource.js';

/**
 * Returns how to log an error of an operation: `'error'` for a server error, `'warning'` if a document or keys at a URL
 * of a client cannot be fetched, which every client can cause. `undefined` for a refused request, which emits an event
 * instead.
 */
export function logLevelOf(error: OAuthError): 'error' | 'warning' | undefined {
  if (error.status < 500 || isSignInPending(error)) return undefined;
  return isUnreachableResource(error) ? 'warning' : 'error';
}
