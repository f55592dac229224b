import { InvalidArgumentError, toOAuthError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Handler } from '../contracts/handler.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import type { Options } from '../options/resolve-options.js';
import type { CallOptions } from './call-options.js';
import { respondWithError } from './operation.js';

/**
 * The operations of all endpoints of a server. The handler of an endpoint is created on the first call, and reused by
 * all calls without options. A call with options creates its own handler.
 */
export class EndpointOperations {
  private readonly handlers = new Map<string, Handler>();

  constructor(
    private readonly server: ServerContext,
    private readonly callOptions: CallOptions,
  ) {}

  /**
   * Handles a request at the endpoint with this ID. Errors reject the returned promise; none is thrown synchronously. If
   * there is no such endpoint, or if the options are invalid, the error is also written to the response.
   */
  run(id: string, options: object | undefined, request: Request, response: Response): Promise<unknown> {
    try {
      const handler = options ? this.make(id, this.callOptions.merge(options)) : this.handlerOf(id);
      return handler.handle(request, response);
    } catch (error) {
      return Promise.reject(respondWithError(response, toOAuthError(error)));
    }
  }

  private handlerOf(id: string): Handler {
    let handler = this.handlers.get(id);
    if (!handler) this.handlers.set(id, (handler = this.make(id, this.server.options)));
    return handler;
  }

  private make(id: string, options: Options): Handler {
    const endpoint = this.server.endpoints.get(id);
    if (endpoint) return endpoint.make(this.server, options);
    throw new InvalidArgumentError(
      `Invalid argument: the server has no endpoint \`${id}\`. Add the feature that provides it to \`features\``,
    );
  }
}
