/** What every name of a pushed request begins with. RFC 9126 §2.2 */
export const PUSHED_REQUEST_URI_PREFIX = 'urn:ietf:params:oauth:request_uri:';

/** Does a `request_uri` name a request that was pushed, known or not, and no request object elsewhere? */
export const isPushedRequestUri = (uri: string): boolean => /^urn:ietf:params:oauth:request_uri:/i.test(uri);
