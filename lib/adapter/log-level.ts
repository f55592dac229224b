import { isSignInPending } from '../endpoints/authorization/authorization-events.js';
import type { OAuthError } from '../errors/index.js';
import { isUnreachableResource } from '../remote/client-resource.js';

/**
 * Returns at which level to log an error of an operation: `'error'` for a server error, `'warning'` if a document or
 * keys at a URL of a client cannot be fetched, which any client can cause. `undefined` for a refused request, which
 * emits an event instead, and for a redirect to the login page.
 */
export function logLevelOf(error: OAuthError): 'error' | 'warning' | undefined {
  if (error.status < 500 || isSignInPending(error)) return undefined;
  return isUnreachableResource(error) ? 'warning' : 'error';
}
