const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Is this a name of the very machine it is said on? RFC 8252 §7.3, §8.3 */
export const isLoopbackName = (hostname: string): boolean => LOOPBACK.test(hostname);

/**
 * Is this a URL by which a server may be known: https, without query, fragment and credentials? http is for the loopback
 * addresses of a developer. RFC 8414 §2, RFC 9728 §1.2
 */
export function isPublicUrl(text: unknown): boolean {
  if (typeof text !== 'string' || !/^https?:\/\/[\x21-\x7e]+$/i.test(text) || /[?#\\]/.test(text)) return false;
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return username + password === '' && (protocol === 'https:' || LOOPBACK.test(hostname));
}

const MAX_LENGTH = 2000;

/** Whether a value is an https URL without credentials, which may have a query. */
export const isPublicHttpsUri = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= MAX_LENGTH &&
  /^https:/i.test(value) &&
  isPublicUrl(value.split('?', 1)[0]);

/** Returns the URL of an endpoint at a path of the application. The path of the issuer comes first. RFC 8414 §2 */
export const endpointUrl = (issuer: string, path: string): string =>
  new URL(issuer).origin + endpointPath(issuer, path);

/** Returns the path of an endpoint in URLs: the path of the issuer, then the path of the application, unless that includes it already. */
export function endpointPath(issuer: string, path: string): string {
  const [base, route] = [new URL(issuer).pathname.replace(/\/$/, ''), `/${path.replace(/^\//, '')}`];
  return route.startsWith(`${base}/`) ? route : base + route;
}
