import type { Observed, ServerContext } from '../contracts/feature.js';
import type { Handler } from '../contracts/handler.js';

/** A handler with the features that observe it around it; without such features, as it is. */
export function observed(handler: Handler, name: string, server: ServerContext): Handler {
  if (server.observers.length === 0) return handler;
  return {
    handle: (request, response) => observe({ name, request, server }, () => handler.handle(request, response)),
  };
}

/** Runs what stands for an operation, with those features around it, the first outermost. */
export function observe<T>(operation: Observed, run: () => Promise<T>): Promise<T> {
  const { observers } = operation.server;
  return observers.reduceRight<() => Promise<T>>((inner, one) => () => one.observe(operation, inner), run)();
}
