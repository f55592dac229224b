import { allowOrigin } from '../../endpoints/cross-origin.js';
import { writeFailure } from '../../endpoints/endpoint-failure.js';
import { wireCode } from '../../http/error-response.js';
import { InvalidRequestError, InvalidTokenError } from '../../errors/index.js';
import { refusalEventName, reportRefusal, shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { Handler } from '../../contracts/handler.js';
import { required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import { isVSCHAR } from '../../http/syntax.js';
import { verifyRequestAndResponse } from '../../endpoints/operation.js';
import { bearerTokenOf } from './registration-access.js';
import { Registrar } from './registrar.js';
import type { Registration } from './registration-model.js';
import type { RegistrationOptions } from './registration-options.js';

/**
 * The endpoint at which clients register themselves. A registered client also reads, updates and deletes its
 * registration there, with its `client_id` in the query. RFC 7591 §3, RFC 7592 §2
 */
export class RegistrationEndpoint implements Handler {
  private readonly registrar: Registrar;

  constructor(
    private readonly server: ServerContext,
    options: RegistrationOptions,
  ) {
    this.registrar = new Registrar(server, options);
  }

  async handle(request: Request, response: Response): Promise<unknown> {
    verifyRequestAndResponse(request, response);
    const { options } = this.server;
    response.headers['cache-control'] = 'no-store';
    response.headers['pragma'] = 'no-cache';
    if (options.cors) allowOrigin(request, response, options.cors);
    try {
      return await this.serve(request, response);
    } catch (error) {
      const failure = writeFailure(response, error);
      if (failure.code === 401)
        response.headers['www-authenticate'] ??= `Bearer realm="Service", error="${wireCode(failure)}"`;
      reportRefusal(options.events, refusalEventName('registration'), failure, () => ({
        endpoint: 'registration',
        clientId: shortText(request.query?.['client_id']),
      }));
      throw failure;
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
