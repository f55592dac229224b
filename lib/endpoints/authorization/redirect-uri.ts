import { redirectRemedy } from './redirect-remedy.js';
import { APPLICATION_TYPE } from '../../clients/registration/client-fields.js';
import { InvalidClientError, InvalidRequestError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import { isRedirectUri } from '../../http/syntax.js';
import type { CoreClient, Model } from '../../model/model.js';

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;

const WEB = /^https?:/i;

/** Compared as whole strings, save for the port of a loopback address, which a native app cannot choose. RFC 8252 §7.3 */
export function isSameRedirectUri(given: string, registered: string, client: CoreClient): boolean {
  if (given === registered) return true;
  return LOOPBACK.test(registered) && withoutPort(given) === withoutPort(registered) && isNative(client);
}

const withoutPort = (uri: string) => uri.replace(LOOPBACK, '$1');

/**
 * Whether the client runs on the user's own device: its application type is `native`, or it has no application type and none of its
 * redirect URIs leads to a web site. Any program on the device may listen at another port, so the codes of a web client are sent to
 * the registered port only. RFC 8252 §7.3, §8.3
 */
function isNative(client: CoreClient): boolean {
  const { redirectUris = [] } = client;
  const applicationType = APPLICATION_TYPE.of(client);
  if (applicationType === 'native' || applicationType === 'web') return applicationType === 'native';
  return redirectUris.every((uri) => LOOPBACK.test(uri) || !WEB.test(uri));
}

/**
 * Settles where the answer of an authorization request may go: the registered URI that was asked for, or the only one.
 * @throws InvalidClientError when it is not registered: such a URI must never be redirected to. RFC 6749 §3.1.2
 */
export async function resolveRedirectUri(given: string | undefined, client: CoreClient, model: Model): Promise<string> {
  // A string is not a list: its `includes` would find any part of it.
  const registered: readonly unknown[] = Array.isArray(client.redirectUris) ? client.redirectUris : [];
  if (given === undefined || registered.length === 0) return onlyRegisteredUri(registered);
  const trusted = model.validateRedirectUri
    ? await model.validateRedirectUri(given, client)
    : registered.some((uri) => typeof uri === 'string' && isSameRedirectUri(given, uri, client));
  if (!trusted) {
    const detail = {
      reason: 'the redirect URI is registered for the client',
      expected: registered,
      given: shortText(given),
      remedy: redirectRemedy(given, registered),
    };
    throw new InvalidClientError('Invalid client: `redirect_uri` does not match client value').because(detail);
  }
  return given;
}

/** The one that is meant by a request that names none. RFC 6749 §3.1.2.3 */
function onlyRegisteredUri(registered: readonly unknown[]): string {
  const [uri, another] = new Set(registered.filter((one) => typeof one === 'string' && isRedirectUri(one)));
  if (uri === undefined) {
    const reason = '`getClient()` returns a client with `redirectUris`, a list of whole URIs';
    throw new InvalidClientError('Invalid client: missing client `redirectUri`').because({ reason });
  }
  if (another !== undefined) {
    const detail = { reason: 'of several registered redirect URIs one is named', expected: registered };
    throw new InvalidRequestError('Missing parameter: `redirect_uri`').because(detail);
  }
  return uri as string;
}
