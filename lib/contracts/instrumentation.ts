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
  /** The authorization request that a phase after `authorize.read` continues. `undefined` for all other operations. */
  readonly authorization?: AuthorizationRequest | undefined;
}

/**
 * An extension that observes a server, such as tracing: it runs code around operations, wraps the model, or receives
 * events. Pass it in the option `instrumentation`.
 */
export interface Instrumentation {
  /**
   * Runs around each operation. It must call `run` once, and return its promise or await it. It cannot change the
   * outcome of `run`. If this function fails after the operation succeeded, the operation fails with `server_error`.
   */
  around?<T>(operation: RunningOperation, run: () => Promise<T>): Promise<T>;
  /**
   * Returns a model for the server to use instead of the given model, such as one that measures each call. If omitted,
   * the model is used unchanged.
   */
  wrapModel?(model: Model): Model;
  /** Receives all events of the server. The sinks in the server option `events` still receive them too. */
  readonly events?: EventSink;
}
