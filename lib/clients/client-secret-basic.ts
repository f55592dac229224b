import { InvalidClientError, InvalidRequestError } from '../errors/index.js';
import type { Request } from '../http/request.js';
import type { ClientAuthentication, PresentedCredentials } from '../contracts/client-authentication.js';

const SCHEME = /^Basic(?: |$)/i;
const CREDENTIALS = /^Basic +[A-Za-z\d+/]+=*$/i;

/** Whether the request contains an `Authorization` header with the scheme `Basic`. */
export const hasBasicHeader = (request: Request): boolean => basicHeader(request) !== undefined;

function basicHeader(request: Request): string | undefined {
  const header: unknown = request.get('authorization');
  return typeof header === 'string' && SCHEME.test(header) ? header : undefined;
}

/** Client authentication by ID and secret in the `Authorization` header. RFC 6749 §2.3.1 */
export const clientSecretBasic: ClientAuthentication = {
  method: 'client_secret_basic',
  readCredentials(request) {
    const header = basicHeader(request);
    if (header === undefined) return undefined;
    const credentials = readCredentials(header);
    const inBody: unknown = request.body?.client_id;
    if (inBody && inBody !== credentials.id) {
      throw new InvalidRequestError('Invalid request: `client_id` does not match the authorization header');
    }
    return credentials;
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
 * Decodes the client ID or secret, which are form-encoded so that they may contain a colon. Invalid encoding is
 * rejected: otherwise, one secret could be written in two ways.
 * @throws {InvalidClientError} If the text is not form-encoded.
 */
function formDecoded(text: string): string {
  if (!/[+%]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new InvalidClientError('Invalid client: credentials in the authorization header must be form-encoded');
  }
}
