import { InvalidRedirectUriError } from '../../errors/index.js';
import { isLoopbackName } from '../../http/public-url.js';
import { isRedirectUri } from '../../http/syntax.js';
import { memberOf, hasCredentials, MAX_URI_LENGTH, type UnverifiedMetadata } from './metadata-members.js';

const MAX_REDIRECT_URIS = 20;

/** URI schemes that are not allowed in redirect URIs, because browsers or programs other than clients handle them. */
const RESERVED_SCHEMES =
  /^(?:intent|view-source|filesystem|chrome|about|res|shell|search|search-ms|ms-[\w-]+|ldaps?|wss?|ftps?|ssh|telnet|mailto|tel|sms|urn|jar):/i;

/** Matches a private-use URI scheme in reverse-domain notation, such as `com.example.app:`. RFC 8252 §7.1 */
const APPLICATION_SCHEME = /^[a-z][a-z\d+-]*\.[a-z\d+.-]*:/i;

/**
 * The rules for redirect URIs, by application type. `implicit-web` applies to clients with `application_type: web` and
 * a response type other than `code`.
 */
export type RedirectRules = 'native' | 'web' | 'implicit-web';

/**
 * Returns the rules for the redirect URIs of a client. `undefined` if it sets no `application_type`. OpenID Connect
 * Registration §2 restricts web clients to https only if a response type returns tokens through the browser. A code at
 * a loopback address is useless without the client's credentials or its PKCE verifier.
 */
export function redirectRules(kind: string | undefined, responseTypes: readonly string[]): RedirectRules | undefined {
  if (kind !== 'web') return kind === 'native' ? kind : undefined;
  return responseTypes.every((type) => type === 'code') ? 'web' : 'implicit-web';
}

/**
 * Reads the `redirect_uris` of client metadata: https URIs, http URIs with a loopback address, and private-use schemes,
 * as far as the rules allow them. `undefined` if the member is missing. RFC 7591 §2, RFC 8252 §7, OpenID Connect
 * Registration §2
 * @throws {InvalidRedirectUriError} If a redirect URI is not allowed.
 */
export function readRedirectUris(metadata: UnverifiedMetadata, rules: RedirectRules | undefined): string[] | undefined {
  const value = memberOf(metadata, 'redirect_uris');
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > MAX_REDIRECT_URIS) {
    throw invalidRedirectUri(`\`redirect_uris\` must be a list of at most ${MAX_REDIRECT_URIS} URIs`);
  }
  return [...new Set(value.map((uri: unknown) => readRedirectUri(uri, rules)))];
}

function readRedirectUri(uri: unknown, rules: RedirectRules | undefined): string {
  const error = findRedirectUriError(uri, rules);
  if (error !== undefined) throw invalidRedirectUri(error);
  return uri as string;
}

/** Returns why a redirect URI is not allowed. `undefined` if it is allowed. */
export function findRedirectUriError(uri: unknown, rules?: RedirectRules): string | undefined {
  if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH || !isRedirectUri(uri) || RESERVED_SCHEMES.test(uri)) {
    return 'a redirect URI must be absolute, have no fragment, and use a scheme that leads back to the client';
  }
  if (!/^https?:/i.test(uri)) return findSchemeError(uri, rules);
  if (!/^https?:\/\/[^/\\]/i.test(uri) || uri.includes('\\') || hasCredentials(uri)) {
    return 'a redirect URI must contain a host, and neither credentials nor a backslash';
  }
  const isLoopback = isLoopbackName(new URL(uri).hostname);
  if (rules === 'implicit-web' && (isLoopback || /^http:/i.test(uri))) return IMPLICIT_WEB;
  return /^http:/i.test(uri) && !isLoopback
    ? 'a redirect URI must use https, unless its host is a loopback address'
    : undefined;
}

/** Returns why the private-use scheme of a redirect URI is not allowed. `undefined` if it is allowed. */
function findSchemeError(uri: string, rules: RedirectRules | undefined): string | undefined {
  if (rules === 'implicit-web') return IMPLICIT_WEB;
  if (rules !== 'web' || APPLICATION_SCHEME.test(uri)) return undefined;
  return 'a redirect URI of a web application must use https, a loopback address, or a reverse-domain scheme such as `com.example.app:`';
}

const IMPLICIT_WEB =
  'a redirect URI of a web application whose response types return tokens through the browser must use https and must not use a loopback address';

export const invalidRedirectUri = (what: string) => new InvalidRedirectUriError(`Invalid redirect URI: ${what}`);
