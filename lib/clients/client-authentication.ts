import type { Request } from '../http/request.js';

/** Who a request says it comes from, and its proof. */
export interface ClientClaim {
  id: string;
  /** Left out by a client that has none. */
  secret?: string;
}

/** One way for a client to say who it is. RFC 6749 §2.3 */
export interface ClientAuthentication {
  /** Its `token_endpoint_auth_method`. RFC 7591 §2 */
  readonly method: string;
  claim(request: Request): ClientClaim | undefined;
}
