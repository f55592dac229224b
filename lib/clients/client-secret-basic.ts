import { InvalidClientError, InvalidRequestError } from '../errors/index.js';
import type { Request } from '../http/request.js';
import type { ClientAuthentication, PresentedCredentials } from '../contracts/client-authentication.js';

const SCHEME = /^Basic(?: |$)/i;
const CREDENTIALS = /^Basic +[A-Za-z\d+/]+=*$/i;

/** Does the request try to authenticate its client by the header? */
export const hasBasicHeader = (request: Request): boolean => basicHeader(request) !== undefined;

function basicHeader(request: Request): string | undefined {
  const header: unknown = request.get('authorization');
  return typeof header === 'string' && SCHEME.test(header) ? header : undefined;
}

/** Id and secret in the `Authorization` header. RFC 6749 §2.3.1 */
export const clientSecretBasic: ClientAuthentication = {
  method: 'client_secret_basic',
  readCredentials(request) {
    const header = basicHeader(request);
    if (header === undefined) return undefined;
    const claim = readCredentials(header);
    const inBody: unknown = request.body?.client_id;
    if (inBody && inBody !== claim.id) {
      throw new InvalidRequestError('Invalid request: `client_id` does not match the authorization header');
    }
    return claim;
  },
};

function readCredentials(header: string): PresentedCredentials {
  const encoded = CREDENTIALS.test(header) ? header.slice(header.lastIndexOf(' ') + 1) : '';
  const credentials = Buffer.from(encoded, 'base64').toString();
  const colon = credentials.indexOf(':');
  if (colon === -1) throw new InvalidClientError('Invalid client: cannot retrieve client credentials');
  return { id: formDecoded(credentials.slice(0, colon)), secret: formDecoded(credentials.slice(colon + 1)) };
}

/**
 * Both parts are form-encoded before they are joined, so that either may hold a colon. What cannot be decoded is not
 * taken as it stands: two ways to write a secret are two secrets.
 */
function formDecoded(text: string): string {
  if (!/[+%]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new InvalidClientError('Invalid client: credentials in the authorization header must be form-encoded');
  }
}
