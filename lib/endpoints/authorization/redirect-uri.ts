import { redirectRemedy } from './redirect-remedy.js';
import { APPLICATION_TYPE } from '../../clients/registration/client-fields.js';
import { InvalidClientError, InvalidRequestError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import { isRedirectUri } from '../../http/syntax.js';
import type { Awaitable, CoreClient, Model } from '../../model/model.js';

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;

const WEB = /^https?:/i;

/**
 * Whether two redirect URIs are the same string. For native apps, the port of a loopback address may differ, since an
 * app cannot choose it. RFC 8252 §7.3
 */
export function isSameRedirectUri(requested: string, registered: string, client: CoreClient): boolean {
  if (requested === registered) return true;
  return LOOPBACK.test(registered) && withoutPort(requested) === withoutPort(registered) && isNative(client);
}

const withoutPort = (uri: string) => uri.replace(LOOPBACK, '$1');

/**
 * Whether the client is a native app: its application type is `native`, or it has no application type and no redirect
 * URI of a website. Only native apps may use any loopback port, because another program on the device could listen at
 * that port and receive the code of a web client. RFC 8252 §7.3, §8.3
 */
function isNative(client: CoreClient): boolean {
  const { redirectUris = [] } = client;
  const applicationType = APPLICATION_TYPE.of(client);
  if (applicationType === 'native' || applicationType === 'web') return applicationType === 'native';
  return redirectUris.every((uri) => LOOPBACK.test(uri) || !WEB.test(uri));
}

/**
 * Returns the redirect URI of an authorization request: the requested one if it is registered, or the only registered
 * one. This prevents open redirects.
 * @throws {InvalidClientError} If the redirect URI is not registered. The browser must never be redirected to it.
 * @throws {InvalidRequestError} If the request contains no redirect URI, and the client has registered several.
 * RFC 6749 §3.1.2
 */
export function resolveRedirectUri(requested: string | undefined, client: CoreClient, model: Model): Awaitable<string> {
  // Ignore a string: its `includes()` would match any substring of it.
  const registered: readonly unknown[] = Array.isArray(client.redirectUris) ? client.redirectUris : [];
  if (requested === undefined || registered.length === 0) return onlyRegisteredUri(registered);
  if (model.validateRedirectUri) return validateByModel(requested, client, { model, registered });
  const isRegistered = registered.some((uri) => typeof uri === 'string' && isSameRedirectUri(requested, uri, client));
  return isRegistered ? requested : rejectRedirectUri(requested, registered);
}

async function validateByModel(
  requested: string,
  client: CoreClient,
  { model, registered }: { model: Model; registered: readonly unknown[] },
): Promise<string> {
  return (await model.validateRedirectUri!(requested, client)) ? requested : rejectRedirectUri(requested, registered);
}

function rejectRedirectUri(requested: string, registered: readonly unknown[]): never {
  const detail = {
    reason: 'redirect URI is not registered for the client',
    expected: registered,
    given: shortText(requested),
    remedy: redirectRemedy(requested, registered),
  };
  throw new InvalidClientError('Invalid client: `redirect_uri` does not match client value').because(detail);
}

/**
 * Returns the only registered redirect URI, for a request without `redirect_uri`. RFC 6749 §3.1.2.3
 * @throws {InvalidClientError} If the client has no valid redirect URI.
 * @throws {InvalidRequestError} If the client has registered several.
 */
function onlyRegisteredUri(registered: readonly unknown[]): string {
  const [uri, another] = new Set(registered.filter((one) => typeof one === 'string' && isRedirectUri(one)));
  if (uri === undefined) {
    const reason = '`getClient()` returned a client without `redirectUris`, a list of absolute URIs';
    throw new InvalidClientError('Invalid client: this client has no registered `redirect_uri`').because({
      reason,
      remedy: 'save the client with `redirectUris`, a list',
    });
  }
  if (another !== undefined) {
    const detail = {
      reason: 'request contains no `redirect_uri`, and the client has registered several',
      expected: registered,
    };
    throw new InvalidRequestError('Missing parameter: `redirect_uri`').because(detail);
  }
  return uri as string;
}
