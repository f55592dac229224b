import { InvalidClientError, InvalidRequestError } from '../errors.js';
import type { Request } from '../http/request.js';
import type { ClientAuthentication } from './client-authentication.js';

const SCHEME = /^Basic(?: |$)/i;
const CREDENTIALS = /^Basic +([A-Za-z\d+/]+=*)$/i;

/** Does the request try to authenticate its client by the header? */
export function hasBasicHeader(request: Request): boolean {
  const header: unknown = request.get('authorization');
  return typeof header === 'string' && SCHEME.test(header);
}

/** Id and secret in the `Authorization` header. RFC 6749 §2.3.1 */
export const clientSecretBasic: ClientAuthentication = {
  method: 'client_secret_basic',
  claim(request) {
    if (!hasBasicHeader(request)) return undefined;
    const encoded = CREDENTIALS.exec(request.get('authorization')!)?.[1];
    const [, id, secret] = /^([^:]*):(.*)$/s.exec(encoded ? Buffer.from(encoded, 'base64').toString() : '') ?? [];
    if (id === undefined || secret === undefined) {
      throw new InvalidClientError('Invalid client: cannot retrieve client credentials');
    }
    if (request.body?.client_secret) {
      throw new InvalidRequestError('Invalid request: only one client authentication method is allowed');
    }
    const claim = { id: formDecoded(id), secret: formDecoded(secret) };
    const inBody: unknown = request.body?.client_id;
    if (inBody && inBody !== claim.id) {
      throw new InvalidRequestError('Invalid request: `client_id` does not match the authorization header');
    }
    return claim;
  },
};

/** Both parts are form-encoded before they are joined, so that either may hold a colon. */
function formDecoded(text: string): string {
  if (!/[+%]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
