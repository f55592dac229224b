import type { Request } from '../http/request.js';
import type { Awaitable, Falsy } from './model.js';

/**
 * A class that implements a grant type, for the classic option `extendedGrantTypes`. It does not need to extend
 * `GrantType`. RFC 6749 §4.5
 */
export interface GrantTypeClass {
  // oxlint-disable-next-line no-explicit-any
  new (options: any): { handle(request: Request, client: any): Awaitable<object | Falsy> };
  /** The model methods that the grant type needs. */
  readonly requires?: readonly string[];
}
