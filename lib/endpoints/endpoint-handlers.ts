import { InvalidArgumentError, toOAuthError } from '../errors/index.js';
import type { ServerContext } from '../contracts/feature.js';
import type { Handler } from '../contracts/handler.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import { observed } from './observed.js';
import { answerError } from './operation.js';

/** The endpoints that features add, each made when it is first asked. */
export class EndpointHandlers {
  private readonly made = new Map<string, Handler>();

  constructor(private readonly server: ServerContext) {}

  async answer(id: string, request: Request, response: Response): Promise<unknown> {
    return await this.find(id, response).handle(request, response);
  }

  private find(id: string, response: Response): Handler {
    let handler = this.made.get(id);
    try {
      if (!handler) this.made.set(id, (handler = this.make(id)));
      return handler;
    } catch (error) {
      throw answerError(response, toOAuthError(error));
    }
  }

  private make(id: string): Handler {
    const endpoint = this.server.endpoints.get(id);
    if (!endpoint) throw new InvalidArgumentError(`Invalid argument: there is no endpoint \`${id}\``);
    return observed(endpoint.make(this.server), id, this.server);
  }
}
