/** The prefix of each `request_uri` that this server assigns to a pushed authorization request. RFC 9126 §2.2 */
export const PUSHED_REQUEST_URI_PREFIX = 'urn:ietf:params:oauth:request_uri:';

/**
 * Whether a `request_uri` has the form of a pushed authorization request, even if it is unknown. Any other
 * `request_uri` is the URL of a request object.
 */
export const isPushedRequestUri = (uri: string): boolean => /^urn:ietf:params:oauth:request_uri:/i.test(uri);
