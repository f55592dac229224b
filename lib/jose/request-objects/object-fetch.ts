import { InvalidRequestUriError } from '../../errors/index.js';
import { REQUEST_URIS } from './client-fields.js';
import { SafeFetch, type SafeFetchOptions } from '../../http/safe-fetch/index.js';
import type { CoreClient } from '../../model/model.js';
import { fetchFailure } from '../../remote/fetch-failure.js';
import { MAX_OBJECT_LENGTH } from './object-verifier.js';

const ACCEPT = 'application/oauth-authz-req+jwt, application/jwt';

/** The fetcher of request objects from the `request_uris` that clients have registered. RFC 9101 §5.2, §10.4 */
export class ObjectFetch {
  private readonly fetch: SafeFetch;

  constructor(options: SafeFetchOptions) {
    this.fetch = new SafeFetch({ size: MAX_OBJECT_LENGTH, ...options });
  }

  /**
   * Whether the server can fetch from all of these `request_uris` of a client: each is a URL that the option `fetch`
   * allows. OpenID Connect Registration §2
   */
  areFetchable = (uris: readonly string[]): boolean => uris.every((uri) => this.fetch.isFetchable(uri));

  /**
   * Fetches the request object at a `request_uri` that the client has registered.
   * @param requester The network of the client that sent the authorization request, if known. The number of
   * simultaneous fetches is limited per network.
   * @throws {InvalidRequestUriError} If the URI is not registered, or the content is invalid.
   * @throws {TemporarilyUnavailableError} If the request object cannot be fetched now.
   */
  async read(uri: string, client: CoreClient, requester?: string): Promise<string> {
    if (!isRegistered(uri, client)) throw invalidRequestUri('`request_uri` is not registered for the client');
    try {
      const { body } = await this.fetch.text(withoutFragment(uri), ACCEPT, requester);
      return body.trim();
    } catch (error) {
      throw fetchFailure(error, 'A request object', (given) =>
        invalidRequestUri('request object could not be fetched', given),
      );
    }
  }
}

/**
 * Whether a URI is exactly one that the client has registered. The fragment may differ, because it may contain a
 * version. OpenID Connect Core §6.2
 */
function isRegistered(uri: string, client: CoreClient): boolean {
  const uris: unknown = REQUEST_URIS.of(client);
  return (
    Array.isArray(uris) && uris.some((one) => typeof one === 'string' && withoutFragment(one) === withoutFragment(uri))
  );
}

const withoutFragment = (uri: string) => uri.split('#', 1)[0]!;

const invalidRequestUri = (reason: string, given?: string) =>
  new InvalidRequestUriError('Invalid request URI: `request_uri` is not accepted').because({
    reason,
    ...(given !== undefined && { given }),
  });
