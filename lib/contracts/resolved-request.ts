import type { Request } from '../http/request.js';
import type { Awaitable } from '../model/model.js';

/**
 * An authorization request with all its parameters, for example those of a pushed authorization request or a request
 * object.
 */
export interface ResolvedRequest {
  /** The request with all parameters in its `query`. */
  request: Request;
  /**
   * Consumes a single-use request, before a code or token is issued for its decision. Returns `false` if it was already
   * consumed. If omitted, the request can be used again.
   */
  consume?(): Awaitable<boolean>;
}
