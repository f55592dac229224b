/**
 * Returns the resources that a stored code or token was issued for, as absolute URIs. They may be stored as a list, or
 * as text separated by spaces. An empty list means no restriction. RFC 8707 §2
 */
export function audienceOf(stored: unknown): readonly string[] {
  if (typeof stored === 'string') return stored.split(' ').filter(Boolean);
  return Array.isArray(stored) ? stored.filter((one): one is string => typeof one === 'string') : [];
}

/**
 * Returns a normalized resource URI for comparison. For http and https, the case of the host and a trailing slash do
 * not matter, because URL libraries of clients change them. RFC 3986 §6.2
 */
export function resourceKey(uri: string): string {
  if (!URL.canParse(uri)) return uri;
  const url = new URL(uri);
  const { protocol, pathname } = url;
  if (/^https?:$/.test(protocol) && pathname.endsWith('/')) url.pathname = pathname.slice(0, -1);
  return url.href;
}

/** Whether a resource URI is in a list, compared in normalized form. */
export function isAmong(uri: string, uris: readonly string[]): boolean {
  if (uris.includes(uri)) return true;
  const key = resourceKey(uri);
  return uris.some((one) => resourceKey(one) === key);
}

/**
 * Whether two lists contain the same resources. Order and duplicates do not matter. URIs are compared in normalized
 * form.
 */
export const isSameAudience = (some: readonly string[], others: readonly string[]): boolean =>
  some.every((uri) => isAmong(uri, others)) && others.every((uri) => isAmong(uri, some));

/** Maximum length of a resource URI. */
const MAX_LENGTH = 2000;

const ABSOLUTE = /^[a-z][a-z\d+.-]*:[\w.~:/?[\]@!$&'()*+,;=%-]+$/i;

/**
 * Matches `.` or `..` in the path of a URI. A model that compares prefixes of URIs could be misled by them.
 * RFC 3986 §5.2.4
 */
const DOT_SEGMENT = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/**
 * Whether a text is a valid resource identifier: an absolute URI without fragment and dot segments, of at most 2000
 * characters. RFC 8707 §2, RFC 3986 §4.3
 */
export const isResource = (text: string): boolean =>
  text.length <= MAX_LENGTH && ABSOLUTE.test(text) && !DOT_SEGMENT.test(text) && URL.canParse(text);
