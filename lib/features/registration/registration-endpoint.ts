import { FeatureEndpoint } from '../../endpoints/feature-endpoint.js';
import { InvalidRequestError, InvalidTokenError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import { required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import { isVSCHAR } from '../../http/syntax.js';
import { bearerTokenOf } from './registration-access.js';
import { Registrar } from './registrar.js';
import type { Registration } from './registration-model.js';
import type { RegistrationOptions } from './registration-options.js';

/**
 * The endpoint at which clients register themselves. A registered client also reads, updates and deletes its
 * registration there, with its `client_id` in the query. RFC 7591 §3, RFC 7592 §2
 */
export class RegistrationEndpoint extends FeatureEndpoint<unknown> {
  protected readonly id = 'registration';
  private readonly registrar: Registrar;

  constructor(server: ServerContext, options: RegistrationOptions) {
    super(server.options, server);
    this.registrar = new Registrar(server, options);
  }

  async handle(request: Request, response: Response): Promise<unknown> {
    this.prepare(request, response);
    try {
      return await this.serve(request, response);
    } catch (error) {
      const details = () => ({ endpoint: this.id, clientId: shortText(request.query?.['client_id']) });
      throw this.fail(response, error, { scheme: 'Bearer', details });
    }
  }

  private async serve(request: Request, response: Response): Promise<unknown> {
    switch (String(request.method).toUpperCase()) {
      case 'POST':
        return this.respond(response, 201, await this.registrar.register(request, response));
      case 'GET':
        return this.respond(response, 200, this.registrar.describe(await this.find(request), request));
      case 'PUT':
        return this.respond(response, 200, await this.registrar.update(await this.find(request), request));
      case 'DELETE':
        await this.registrar.remove(await this.find(request), request);
        response.status = 204;
        response.body = undefined;
        return {};
      default:
        throw new InvalidRequestError('Invalid request: method must be POST, GET, PUT or DELETE', { code: 405 });
    }
  }

  private respond(response: Response, status: number, body: object): object {
    response.status = status;
    response.body = body;
    return body;
  }

  /**
   * Finds the registration that the registration access token of the request belongs to. RFC 7592 §2.1
   * @throws {InvalidTokenError} If the token or the client is unknown.
   */
  private async find(request: Request): Promise<Registration> {
    const token = bearerTokenOf(request);
    const clientId = token === undefined ? '' : required(request, 'client_id', isVSCHAR, ['query']);
    const registration = token === undefined ? undefined : await this.registrar.find(clientId, token);
    if (registration) return registration;
    const reason = 'client is unknown, or the registration access token is not its own';
    throw new InvalidTokenError('Invalid token: registration access token is invalid').because({ reason });
  }
}
