import type { Request } from '../http/request.js';
import type { Awaitable } from '../model/model.js';

/** An authorization request whose parameters came from elsewhere. */
export interface ResolvedRequest {
  /** With all the parameters in its `query`. */
  request: Request;
  /** Spends it, where it is good for one decision, before anything is issued for that; falsy: it was spent before. */
  consume?(): Awaitable<boolean>;
}
