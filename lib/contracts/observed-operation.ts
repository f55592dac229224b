import type { Request } from '../http/request.js';

/** An operation at work. */
export interface ObservedOf<Server> {
  /** `authenticate`, `token`, `authorize`, its halves `authorize.read` and `authorize.decide`, or the id of another endpoint. */
  readonly name: string;
  readonly request: Request;
  readonly server: Server;
}
