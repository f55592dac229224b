import { claimedClientId } from '../../lib/adapter/index.js';
import { type NativeRequest, toOAuthRequest } from './http-adapter.js';

/**
 * Returns the `client_id` of a request at an endpoint, from the `Authorization` header, the form or the URL; `undefined` if it has none. It
 * is not verified: use it for the tracker of a throttler. RFC 6749 §2.3
 */
export const claimedClient = (native: NativeRequest): string | undefined => claimedClientId(toOAuthRequest(native));
