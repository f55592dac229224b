/**
 * Returns the resources that a stored code or token is issued for: absolute URIs, stored as a list or as text with spaces. An empty list
 * if it is not limited to resources. RFC 8707 §2
 */
export function audienceOf(stored: unknown): readonly string[] {
  if (typeof stored === 'string') return stored.split(' ').filter(Boolean);
  return Array.isArray(stored) ? stored.filter((one): one is string => typeof one === 'string') : [];
}

/**
 * The same resource, however it is spelled: in capitals, or with a slash behind it, which clients add and leave out as their
 * URL library does. RFC 3986 §6.2
 */
export function resourceKey(uri: string): string {
  if (!URL.canParse(uri)) return uri;
  const url = new URL(uri);
  const { protocol, pathname } = url;
  if (/^https?:$/.test(protocol) && pathname.endsWith('/')) url.pathname = pathname.slice(0, -1);
  return url.href;
}

/** Is it one of these? */
export function isAmong(uri: string, uris: readonly string[]): boolean {
  if (uris.includes(uri)) return true;
  const key = resourceKey(uri);
  return uris.some((one) => resourceKey(one) === key);
}

/** Are they the same, in whatever order? */
export const isSameAudience = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((uri) => isAmong(uri, others));

/** How long the URI of a resource may be. */
const MAX_LENGTH = 2000;

const ABSOLUTE = /^[a-z][a-z\d+.-]*:[\w.~:/?[\]@!$&'()*+,;=%-]+$/i;

/** `..` in a path: a model that looks at how a URI begins would take it for another one. RFC 3986 §5.2.4 */
const DOT_SEGMENT = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** An absolute URI without fragment and dot segments, as a resource is named. RFC 8707 §2, RFC 3986 §4.3 */
export const isResource = (text: string): boolean =>
  text.length <= MAX_LENGTH && ABSOLUTE.test(text) && !DOT_SEGMENT.test(text) && URL.canParse(text);
