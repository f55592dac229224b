import { optional } from '../http/parameters.js';
import { isVSCHAR } from '../http/syntax.js';
import type { Client } from '../model/model.js';
import type { ClientAuthentication } from './client-authentication.js';
import { hasBasicHeader } from './client-secret-basic.js';

/** A client that says who it is and proves nothing. RFC 6749 §2.1 */
export const none: ClientAuthentication = {
  method: 'none',
  claim(request) {
    if (request.body?.client_secret || hasBasicHeader(request)) return undefined;
    const id = optional(request, 'client_id', isVSCHAR);
    return id === undefined ? undefined : { id };
  },
};

/** Does the client declare that it has no secret? */
export function isPublic(client: Client): boolean {
  return client.tokenEndpointAuthMethod === 'none';
}
