import { findClaimedClientId } from '../clients/authenticate-client.js';
import type { ClientAuthentication } from '../contracts/client-authentication.js';
import { CLASSIC_AUTHENTICATIONS } from '../features/classic.js';
import { optional } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isVSCHAR } from '../http/syntax.js';

/** The `client_id` in the URL, as at the authorization endpoint. RFC 6749 §3.1 */
const inUrl: ClientAuthentication = {
  method: 'none',
  readCredentials(request) {
    const id = optional(request, 'client_id', isVSCHAR, ['query']);
    return id === undefined ? undefined : { id };
  },
};

const METHODS = [...CLASSIC_AUTHENTICATIONS, inUrl];

/**
 * Returns the `client_id` of a request at an endpoint, from the `Authorization` header, the form or the URL. It is not verified: use it to
 * count requests, not to decide. RFC 6749 §2.3
 */
export const claimedClientId = (request: Request): string | undefined => findClaimedClientId(request, METHODS);
