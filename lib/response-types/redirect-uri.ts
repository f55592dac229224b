import { InvalidClientError } from '../errors.js';
import { isRedirectUri } from '../http/syntax.js';
import type { Client, Model } from '../model/model.js';

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;

/** Compared as whole strings, save for the port of a loopback address, which a native app cannot choose. RFC 8252 §7.3 */
export function isSameRedirectUri(given: string, registered: string): boolean {
  return given === registered || (LOOPBACK.test(registered) && withoutPort(given) === withoutPort(registered));
}

const withoutPort = (uri: string) => uri.replace(LOOPBACK, '$1');

/**
 * Settles where the answer of an authorization request may go: the registered URI that was asked for, or the first one.
 * @throws InvalidClientError when it is not registered: such a URI must never be redirected to. RFC 6749 §3.1.2
 */
export async function trustRedirectUri(given: string | undefined, client: Client, model: Model): Promise<string> {
  // A string is not a list: its `includes` would find any part of it.
  const registered: readonly unknown[] = Array.isArray(client.redirectUris) ? client.redirectUris : [];
  if (given === undefined || registered.length === 0) return defaultUri(registered);
  const trusted = model.validateRedirectUri
    ? await model.validateRedirectUri(given, client)
    : registered.some((uri) => typeof uri === 'string' && isSameRedirectUri(given, uri));
  if (!trusted) throw new InvalidClientError('Invalid client: `redirect_uri` does not match client value');
  return given;
}

function defaultUri(registered: readonly unknown[]): string {
  const uri = registered.find((candidate) => typeof candidate === 'string' && isRedirectUri(candidate));
  if (uri === undefined) throw new InvalidClientError('Invalid client: missing client `redirectUri`');
  return uri as string;
}

/** `uri` with the parameters of an answer added to its query, or as its fragment. RFC 6749 §4.1.2, §4.2.2 */
export function answerUri(uri: string, mode: 'query' | 'fragment', parameters: Record<string, string>): string {
  // What was compared is what is answered to, to the letter, save that a path must be there to have a query.
  let answer = PATHLESS.test(uri) ? uri.replace(PATHLESS, '$&/') : uri;
  let separator = mode === 'fragment' ? '#' : querySeparator(answer);
  for (const name in parameters) {
    answer += `${separator}${name}=${encoded(parameters[name]!)}`;
    separator = '&';
  }
  return answer;
}

const PATHLESS = /^https?:\/\/[^/?]+(?=\?|$)/i;

function querySeparator(uri: string): string {
  if (!uri.includes('?')) return '?';
  return uri.endsWith('?') ? '' : '&';
}

/** Codes and most states need no encoding, and to see that costs a tenth of doing it. */
const encoded = (value: string) => (/^[\w.~-]*$/.test(value) ? value : encodeURIComponent(value));
