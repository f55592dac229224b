import { InvalidArgumentError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Handler } from '../contracts/handler.js';
import { OperationCache } from './operation-cache.js';

/** The endpoints of a server, each made when it is first called. For calls without options, an endpoint has one instance. */
export class EndpointOperations {
  private readonly caches = new Map<string, OperationCache<Handler>>();

  constructor(private readonly server: ServerContext) {}

  /** Returns the operations at an endpoint. Without such an endpoint, calls of the operations fail. */
  of(id: string): OperationCache<Handler> {
    const found = this.caches.get(id);
    if (found) return found;
    const { server } = this;
    const endpoint = server.endpoints.get(id);
    const operations = new OperationCache<Handler>((options) => {
      if (!endpoint) throw new InvalidArgumentError(`Invalid argument: there is no endpoint \`${id}\``);
      return endpoint.make(server, options);
    }, server);
    if (endpoint) this.caches.set(id, operations);
    return operations;
  }
}
