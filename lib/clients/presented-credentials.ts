import { InvalidClientError, InvalidRequestError } from '../errors/index.js';
import { shortText } from '../events/events.js';
import type { Request } from '../http/request.js';
import { isVSCHAR } from '../http/syntax.js';
import type { ClientAuthentication, PresentedCredentials } from '../contracts/client-authentication.js';
import { none } from './none.js';

/**
 * Returns the credentials that a request presents, with the client authentication method that read them.
 * @throws {InvalidRequestError} If the request presents credentials of several methods, or if they are malformed.
 * @throws {InvalidClientError} If the request presents neither credentials nor a `client_id`.
 */
export function readCredentials(request: Request, authentications: readonly ClientAuthentication[]) {
  let credentials: PresentedCredentials | undefined;
  let method: ClientAuthentication = none;
  for (const authentication of authentications) {
    const presented = authentication.readCredentials?.(request);
    if (!presented) continue;
    // A bare `client_id` may accompany other credentials if it names the same client.
    const isNamed = credentials !== undefined && (method === none || authentication === none);
    if (credentials && !isNamed) {
      throw new InvalidRequestError('Invalid request: only one client authentication method is allowed');
    }
    if (credentials && credentials.id !== presented.id) throw new InvalidRequestError('Invalid parameter: `client_id`');
    if (!credentials || method === none) [credentials, method] = [presented, authentication];
  }
  if (!credentials) {
    throw new InvalidClientError('Invalid client: cannot retrieve client credentials').because({
      reason: 'request contains no client credentials and no `client_id`',
      remedy: 'send the ID and the secret by HTTP Basic, or as `client_id` and `client_secret` in the form',
    });
  }
  if (!credentials.id) throw new InvalidRequestError('Missing parameter: `client_id`');
  if (!isVSCHAR(credentials.id)) throw new InvalidRequestError('Invalid parameter: `client_id`');
  if (credentials.secret && !isVSCHAR(credentials.secret))
    throw new InvalidRequestError('Invalid parameter: `client_secret`').because({
      reason: 'client secret has a character that no secret may have',
      remedy:
        'send printable ASCII characters only: remove the line break at the end of a secret that was read from a file',
    });
  return { credentials, method };
}

/**
 * Returns the client ID that a request presents, for events and logs. It is not verified, and is shortened if it is
 * long. `undefined` if there is none.
 */
export function findClaimedClientId(
  request: Request,
  authentications: readonly ClientAuthentication[],
): string | undefined {
  for (const authentication of authentications) {
    try {
      const id = authentication.readCredentials?.(request)?.id;
      if (id && isVSCHAR(id)) return shortText(id);
    } catch {
      // If one method cannot read the credentials, the next method may find a client ID.
    }
  }
  return undefined;
}
