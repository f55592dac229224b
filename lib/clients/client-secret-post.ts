import { optional, required } from '../http/parameters.js';
import { isVSCHAR } from '../http/syntax.js';
import type { ClientAuthentication } from '../contracts/client-authentication.js';
import { hasBasicHeader } from './client-secret-basic.js';

/** Client authentication by ID and secret in the form body. RFC 6749 §2.3.1 */
export const clientSecretPost: ClientAuthentication = {
  method: 'client_secret_post',
  readCredentials(request) {
    if (!request.body?.client_secret) return undefined;
    const id = optional(request, 'client_id', isVSCHAR);
    // If the `Authorization` header also contains credentials, both count as credentials, so that the request is
    // rejected.
    if (id === undefined && !hasBasicHeader(request)) return undefined;
    // `readCredentials()` of all methods verifies its characters, with the reason for the log.
    return { id: id ?? '', secret: required(request, 'client_secret', () => true) };
  },
};
