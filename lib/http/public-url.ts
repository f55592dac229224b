const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

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
