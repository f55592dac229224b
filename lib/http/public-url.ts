const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host name is a loopback name or address: `localhost`, `127.0.0.0/8` or `[::1]`. RFC 8252 §7.3, §8.3 */
export const isLoopbackName = (hostname: string): boolean => LOOPBACK.test(hostname);

/**
 * Whether a text is a valid URL of a server, such as an issuer: https, without query, fragment and credentials.
 * Loopback addresses may use http, for development. RFC 8414 §2, RFC 9728 §1.2
 */
export function isPublicUrl(text: unknown): boolean {
  if (typeof text !== 'string' || !/^https?:\/\/[\x21-\x7e]+$/i.test(text) || /[?#\\]/.test(text)) return false;
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return username + password === '' && (protocol === 'https:' || LOOPBACK.test(hostname));
}

/**
 * Whether a URL uses https, or http on a loopback address, and contains neither credentials nor a fragment. It may have
 * a query. Tokens, secrets and keys are sent to it. RFC 7662 §4
 */
export const isSecureUrl = (url: unknown): url is string =>
  typeof url === 'string' && isPublicUrl(url.split('?', 1)[0]);

const MAX_LENGTH = 2000;

/**
 * Whether a value is an https URL without credentials and fragment, of at most 2000 characters. It may have a query.
 */
export const isPublicHttpsUri = (value: unknown): value is string =>
  isSecureUrl(value) && value.length <= MAX_LENGTH && /^https:/i.test(value);

/**
 * Returns the absolute URL of an endpoint from its path in the application. The path of the issuer is put before it,
 * unless it already begins with it. RFC 8414 §2
 */
export const endpointUrl = (issuer: string, path: string): string =>
  new URL(issuer).origin + endpointPath(issuer, path);

/**
 * Returns the path of an endpoint in its URL: the path of the issuer, followed by the path in the application unless
 * that already contains the path of the issuer.
 */
export function endpointPath(issuer: string, path: string): string {
  const [base, route] = [new URL(issuer).pathname.replace(/\/$/, ''), `/${path.replace(/^\//, '')}`];
  return route.startsWith(`${base}/`) ? route : base + route;
}
