import { findClaimedClientId } from '../clients/presented-credentials.js';
import type { ClientAuthentication } from '../contracts/client-authentication.js';
import { CLASSIC_AUTHENTICATIONS } from '../features/classic.js';
import { optional } from '../http/parameters.js';
import type { Request } from '../http/request.js';
import { isVSCHAR } from '../http/syntax.js';

/** Reads the `client_id` in the URL of an authorization request. RFC 6749 §3.1 */
const inUrl: ClientAuthentication = {
  method: 'none',
  readCredentials(request) {
    const id = optional(request, 'client_id', isVSCHAR, ['query']);
    return id === undefined ? undefined : { id };
  },
};

const METHODS = [...CLASSIC_AUTHENTICATIONS, inUrl];

/**
 * Returns the `client_id` of a request from its `Authorization` header, form or URL. It is not verified: use it for
 * rate limits and logs, not for authorization. `undefined` if it is missing. RFC 6749 §2.3
 */
export const claimedClientId = (request: Request): string | undefined => findClaimedClientId(request, METHODS);
