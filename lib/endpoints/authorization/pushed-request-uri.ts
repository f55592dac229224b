/** The prefix of each `request_uri` that this server assigns to a pushed authorization request. RFC 9126 §2.2 */
export const PUSHED_REQUEST_URI_PREFIX = 'urn:ietf:params:oauth:request_uri:';

/**
 * Whether a `request_uri` begins with the prefix of pushed authorization requests, ignoring case. The request itself is
 * not looked up. RFC 9126 §2.2
 */
export const isPushedRequestUri = (uri: string): boolean => /^urn:ietf:params:oauth:request_uri:/i.test(uri);
