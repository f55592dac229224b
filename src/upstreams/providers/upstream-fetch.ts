import { FetchError, SafeFetch, type SafeFetchOptions } from '../../../lib/internal.js';
import { InvalidArgumentError } from '../../../lib/index.js';
import { causesOf } from './causes.js';
import type { FetchFunction, UpstreamProvider } from './provider.js';

/** Maximum size of a response of a provider in bytes. Usual ID tokens and profiles have a few thousand. */
const MAX_SIZE = 65_536;

/** Maximum size of a response of an API in bytes. */
export const MAX_API_SIZE = 2 ** 20 - 1;

/** Maximum number of simultaneous requests to one host: a provider receives a request for each user who signs in. */
const CONCURRENCY = 256;

/** Seconds in which a provider must respond. */
const TIMEOUT = 10;

/**
 * Returns a function with the signature of `fetch()` that sends requests to providers. Only the hosts in the options of
 * the providers may have private addresses. Redirects are not followed, so that secrets reach no other host.
 * @param size Maximum size of a response in bytes, unless `options` has another one. Default: `65536`.
 */
export function upstreamFetch(
  providers: Iterable<UpstreamProvider>,
  options: SafeFetchOptions,
  size = MAX_SIZE,
): FetchFunction {
  const hosts = new Set([...providers].flatMap((provider) => urlsOf(provider).map((url) => new URL(url).host)));
  const limits = { timeout: TIMEOUT, size, concurrency: 2 * CONCURRENCY, concurrencyPerHost: CONCURRENCY };
  const safeFetch = new SafeFetch({ ...limits, ...options }, hosts);
  return async (url, { method = 'GET', headers, body } = {}) => {
    assertTextBody(body);
    const sent = {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body && { body: body.toString() }),
    };
    const response = await safeFetch.request(url, sent);
    const headersOf = Object.entries(response.headers).filter(([, value]) => typeof value === 'string') as string[][];
    const isEmpty = NULL_BODY.includes(response.status);
    return new Response(isEmpty ? null : new Uint8Array(response.body), {
      status: response.status,
      headers: headersOf as [string, string][],
    });
  };
}

/**
 * Verifies the body of a request to a provider. The request may be sent twice, so the body must not be a stream.
 * @throws {InvalidArgumentError} If it is neither a text nor `URLSearchParams`.
 */
export function assertTextBody(body: RequestInit['body']): asserts body is string | URLSearchParams | null | undefined {
  if (body === undefined || body === null || typeof body === 'string' || body instanceof URLSearchParams) return;
  throw new InvalidArgumentError('Invalid argument: the `body` of a request to a provider must be a text');
}

/** Statuses of responses that have no content. */
const NULL_BODY: readonly number[] = [204, 205, 304];

const urlsOf = ({ issuer, endpoints, apis }: UpstreamProvider): readonly string[] => {
  const { authorization, token, revocation } = endpoints ?? {};
  return [issuer, authorization, token, revocation, ...apis].filter((url) => url !== undefined);
};

/** Whether a request to a provider failed because the provider did not respond, or responded with status 429 or 5xx. */
export function isUnavailable(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (cause instanceof FetchError) return cause.isTemporary;
    const { name, message, status, headers } = cause as Partial<Error & Response>;
    if (name === 'TimeoutError' || name === 'AbortError' || message === 'fetch failed') return true;
    // An unexpected response is the cause of the error of the library.
    if (headers !== undefined && status !== undefined && (status === 429 || status >= 500)) return true;
  }
  return false;
}
