import { claimedId } from '../../lib/clients/authenticate-client.js';
import type { ClientAuthentication } from '../../lib/contracts/client-authentication.js';
import { CLASSIC_AUTHENTICATIONS } from '../../lib/features/classic.js';
import { optional } from '../../lib/http/parameters.js';
import { isVSCHAR } from '../../lib/http/syntax.js';
import { type NativeRequest, toOAuthRequest } from './http-adapter.js';

/** As at the authorization endpoint. RFC 6749 §3.1 */
const inUrl: ClientAuthentication = {
  method: 'none',
  claim(request) {
    const id = optional(request, 'client_id', isVSCHAR, ['query']);
    return id === undefined ? undefined : { id };
  },
};

const WAYS = [...CLASSIC_AUTHENTICATIONS, inUrl];

/**
 * Which client a request at an endpoint says it comes from: in the `Authorization` header, the form or the URL; undefined where
 * it names none. Nothing of it is proven: it is for the tracker of a throttler. RFC 6749 §2.3
 */
export const claimedClient = (native: NativeRequest): string | undefined => claimedId(toOAuthRequest(native), WAYS);
