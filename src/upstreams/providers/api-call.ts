import { configurationError } from '../../../lib/internal.js';
import type { FetchFunction } from './provider.js';
import { assertTextBody } from './upstream-fetch.js';

/** The API of a provider. */
interface Api {
  /** The origins to which access tokens may be sent. */
  readonly apis: readonly string[];
  readonly label: string;
  readonly send: FetchFunction;
}

/**
 * Returns a function that sends a request with an access token. It can be called again with another token. The request
 * is sent to origins of the provider only, and redirects are not followed.
 * @throws {InvalidArgumentError} If the URL has another origin, or the body is neither a text nor `URLSearchParams`.
 */
export function callApi(
  { apis, label, send }: Api,
  input: string | URL,
  init: RequestInit,
): (accessToken: string) => Promise<Response> {
  const { origin, pathname, href } = new URL(input);
  if (!apis.includes(origin)) {
    throw configurationError(
      `the access token of ${label} must not be sent to ${origin}${pathname}: add its origin to \`apis\``,
    );
  }
  const { body } = init;
  assertTextBody(body);
  return async (accessToken) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${accessToken}`);
    if (body instanceof URLSearchParams && !headers.has('content-type'))
      headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8');
    return send(href, { ...init, headers, redirect: 'manual' });
  };
}
