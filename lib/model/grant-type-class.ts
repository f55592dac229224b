import type { Request } from '../http/request.js';
import type { Awaitable, Falsy } from './model.js';

/** A grant type by its class; one that extends nothing will do. RFC 6749 §4.5 */
export interface GrantTypeClass {
  // oxlint-disable-next-line no-explicit-any
  new (options: any): { handle(request: Request, client: any): Awaitable<object | Falsy> };
  /** What the model must implement for it. */
  readonly requires?: readonly string[];
}
