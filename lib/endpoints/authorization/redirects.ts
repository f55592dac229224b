import type { ResponseModeOf } from '../../contracts/response-mode.js';

/** The response mode `query`: the response parameters are in the query of the redirect URI. RFC 6749 §4.1.2 */
export const query: ResponseModeOf<unknown> = {
  exposed: true,
  write: (response, { redirectUri, parameters }) => response.redirect(queryUri(redirectUri, parameters)),
};

/** The response mode `fragment`: the response parameters are the fragment of the redirect URI. RFC 6749 §4.2.2 */
export const fragment: ResponseModeOf<unknown> = {
  write: (response, { redirectUri, parameters }) => response.redirect(fragmentUri(redirectUri, parameters)),
};

/** Returns `uri` with parameters added to its query. A web URI without a path gets the path `/`. */
export function queryUri(uri: string, parameters: Readonly<Record<string, string>>): string {
  const base = withPath(uri);
  return addParameters(base, parameters, base.includes('?') ? (base.endsWith('?') ? '' : '&') : '?');
}

/** Returns `uri` with parameters as its fragment. A web URI without a path gets the path `/`. */
export const fragmentUri = (uri: string, parameters: Readonly<Record<string, string>>): string =>
  addParameters(withPath(uri), parameters, '#');

function addParameters(uri: string, parameters: Readonly<Record<string, string>>, first: string): string {
  let result = uri;
  let separator = first;
  for (const name in parameters) {
    result += `${separator}${name}=${encodeValue(parameters[name]!)}`;
    separator = '&';
  }
  return result;
}

/** Returns a redirect URI unchanged, except that an `http` or `https` URI without a path gets the path `/`. */
const withPath = (uri: string) => (PATHLESS.test(uri) ? uri.replace(PATHLESS, '$1/$2') : uri);

const PATHLESS = /^(https?:\/\/[^/?]+)(\?|$)/i;

/**
 * Encodes a parameter value. Codes and most states need no encoding, and the check takes a tenth of the time of
 * encoding.
 */
const encodeValue = (value: string) => (/^[\w.~-]*$/.test(value) ? value : encodeURIComponent(value));
