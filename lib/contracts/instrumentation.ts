import type { EventSink } from '../events/events.js';
import type { Request } from '../http/request.js';
import type { Model } from '../model/model.js';
import type { ServerContext } from './feature.js';
import type { AuthorizationRequest } from './response-type.js';

/** An operation of a server that is about to run. */
export interface RunningOperation {
  /**
   * `authenticate`, `token`, `authorize`, a phase of an interactive authorization (`authorize.read`, `authorize.scope`,
   * `authorize.interaction`, `authorize.decide`), or the id of another endpoint.
   */
  readonly name: string;
  readonly request: Request;
  readonly server: ServerContext;
  /** The authorization request that a phase after `authorize.read` continues. */
  readonly authorization?: AuthorizationRequest | undefined;
}

/** Code that runs around all operations of a server, such as tracing. The option `instrumentation` takes it. */
export interface Instrumentation {
  /**
   * Runs around each operation. It must call `run` once, and return its promise or await it: the operation has the outcome of `run` in
   * any case. If this function fails after the operation succeeded, the operation fails with `server_error`.
   */
  around?<T>(operation: RunningOperation, run: () => Promise<T>): Promise<T>;
  /** Returns the model for the server to call in place of the given model. */
  wrapModel?(model: Model): Model;
  /** Receives all events of the server, besides the option `events`. */
  readonly events?: EventSink;
}
