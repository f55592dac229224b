import type { Request } from '../http/request.js';
import type { Awaitable } from '../model/model.js';

/** An authorization request whose parameters were stored elsewhere, such as a pushed authorization request. */
export interface ResolvedRequest {
  /** The request with all parameters in its `query`. */
  request: Request;
  /**
   * Consumes a single-use request, before anything is issued for its decision. Returns `false` if it was already
   * consumed.
   */
  consume?(): Awaitable<boolean>;
}
