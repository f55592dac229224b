import { InvalidArgumentError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Handler } from '../contracts/handler.js';
import { OperationCache } from './operation-cache.js';

/**
 * The operations of all endpoints of a server. Each endpoint is created on its first call, and reused by all calls
 * without options.
 */
export class EndpointOperations {
  private readonly caches = new Map<string, OperationCache<Handler>>();

  constructor(private readonly server: ServerContext) {}

  /**
   * Returns the operations of an endpoint. If the server has no endpoint with this id, calls of the operations fail.
   */
  of(id: string): OperationCache<Handler> {
    const cache = this.caches.get(id);
    if (cache) return cache;
    const { server } = this;
    const endpoint = server.endpoints.get(id);
    const operations = new OperationCache<Handler>((options) => {
      if (!endpoint)
        throw new InvalidArgumentError(
          `Invalid argument: the server has no endpoint \`${id}\`. Add the feature that provides it to \`features\``,
        );
      return endpoint.make(server, options);
    }, server);
    if (endpoint) this.caches.set(id, operations);
    return operations;
  }
}
