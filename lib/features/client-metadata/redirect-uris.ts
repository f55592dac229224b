import { InvalidRedirectUriError } from '../../errors.js';
import { isLoopbackName } from '../../http/public-url.js';
import { isRedirectUri } from '../../http/syntax.js';
import { given, hasCredentials, LONGEST_URI, type Said } from './metadata-members.js';

const MOST = 20;

/** What a browser does something with by itself, or another program that is no client: no scheme of an application. */
const TAKEN =
  /^(?:intent|view-source|filesystem|chrome|about|res|shell|search|search-ms|ms-[\w-]+|ldaps?|wss?|ftps?|ssh|telnet|mailto|tel|sms|urn|jar):/i;

/**
 * Reads where answers may go, by the kind of application: https for one of the web, and for a native one its own scheme or a
 * loopback address as well. RFC 7591 §2, RFC 8252 §7, OpenID Registration §2
 * @throws InvalidRedirectUriError for one that may not
 */
export function readRedirectUris(said: Said, kind: string | undefined): string[] | undefined {
  const value = given(said, 'redirect_uris');
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > MOST) {
    throw refused(`\`redirect_uris\` must be a list of ${MOST} at most`);
  }
  return [...new Set(value.map((uri: unknown) => readOne(uri, kind)))];
}

function readOne(uri: unknown, kind: string | undefined): string {
  const fault = redirectFault(uri, kind);
  if (fault !== undefined) throw refused(fault);
  return uri as string;
}

/** Why a user must not be sent there by a client of this kind; undefined: they may. */
export function redirectFault(uri: unknown, kind?: string): string | undefined {
  if (typeof uri !== 'string' || uri.length > LONGEST_URI || !isRedirectUri(uri) || TAKEN.test(uri)) {
    return 'a redirect URI must be absolute, without fragment, and of a scheme that leads back to the client';
  }
  if (!/^https?:/i.test(uri)) return kind === 'web' ? 'a redirect URI of a web application is https' : undefined;
  if (!/^https?:\/\/[^/\\]/i.test(uri) || uri.includes('\\') || hasCredentials(uri)) {
    return 'a redirect URI has no credentials, and its host is to be read at first sight';
  }
  const isLoopback = isLoopbackName(new URL(uri).hostname);
  if (kind === 'web' && (isLoopback || /^http:/i.test(uri))) {
    return 'a redirect URI of a web application is https, and of a host on the Internet';
  }
  return /^http:/i.test(uri) && !isLoopback ? 'a redirect URI is https, unless it is of a loopback address' : undefined;
}

export const refused = (what: string) => new InvalidRedirectUriError(`Invalid redirect URI: ${what}`);
