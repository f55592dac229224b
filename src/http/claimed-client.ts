import { claimedClientId } from '../../lib/internal.js';
import { type NativeRequest, toOAuthRequest } from './http-adapter.js';

/**
 * Returns the `client_id` of a request to an endpoint, from the `Authorization` header, the form or the URL.
 * `undefined` if the request has no `client_id`. The id is not verified: use it only as the tracker of a rate limiter.
 * RFC 6749 §2.3
 */
export const claimedClient = (native: NativeRequest): string | undefined => claimedClientId(toOAuthRequest(native));
