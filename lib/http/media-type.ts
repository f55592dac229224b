/** The media types that `Request.is()` accepts by a short name. */
const SHORT: Readonly<Record<string, string>> = {
  html: 'text/html',
  json: 'application/json',
  multipart: 'multipart/*',
  text: 'text/plain',
  urlencoded: 'application/x-www-form-urlencoded',
  xml: 'application/xml',
};

/**
 * Returns the media type of a `Content-Type` header without its parameters. `undefined` if the header is invalid.
 * RFC 9110 §8.3.1
 */
export function mediaType(contentType: unknown): string | undefined {
  const type = typeof contentType === 'string' ? contentType.split(';', 1)[0]?.trim().toLowerCase() : undefined;
  return type && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type) ? type : undefined;
}

/** Whether a media type matches a pattern: a full name, a short name, a wildcard (`text/*`) or a suffix (`+json`). */
export function matchesMediaType(type: string, pattern: string): boolean {
  const fullPattern = (SHORT[pattern] ?? pattern).toLowerCase();
  if (fullPattern.startsWith('+')) return type.endsWith(fullPattern);
  const [main, sub] = fullPattern.split('/');
  const [typeMain, typeSub] = type.split('/');
  if (main !== '*' && main !== typeMain) return false;
  return sub === '*' || sub === typeSub || (sub?.startsWith('*+') === true && typeSub?.endsWith(sub.slice(1)) === true);
}

/** The media type of form bodies, such as those of token requests. RFC 6749 Appendix B */
export const FORM = 'application/x-www-form-urlencoded';

export function isForm(contentType: string | undefined): boolean {
  return contentType === FORM || mediaType(contentType) === FORM;
}
