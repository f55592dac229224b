import { comparablePath, requestPath } from '../../lib/http/request-path.js';
import { toOAuthError } from '../../lib/errors/index.js';
import {
  type AuthorizationCode,
  type AuthorizationRequest,
  InvalidArgumentError,
  InvalidRequestError,
  OAuth2Server,
  Request,
  type Response,
  type Token,
  type User,
} from '../../lib/index.js';
import { answerError, callBack } from '../../lib/endpoints/operation.js';
import { documentRoutes } from '../http/endpoint.js';
import type { OAuth2TenantServers } from './tenant-servers.js';

type Read = OAuth2Server['readAuthorizationRequest'];
type Needed = OAuth2Server['needed'];
type Decide = OAuth2Server['decide'];

/** The server of a host with tenants: whatever it is asked it asks the server of the tenant whose request it is. */
export class TenantsServer extends OAuth2Server {
  private readonly readers = new WeakMap<AuthorizationRequest, OAuth2Server>();

  constructor(
    readonly tenants: OAuth2TenantServers,
    ...given: ConstructorParameters<typeof OAuth2Server>
  ) {
    super(...given);
  }

  override authenticate(...given: Parameters<OAuth2Server['authenticate']>): Promise<Token> {
    return this.ask(given, (server, request, response, options) => server.authenticate(request, response, options));
  }

  override authorize(...given: Parameters<OAuth2Server['authorize']>): Promise<AuthorizationCode> {
    return this.ask(given, (server, request, response, options) => server.authorize(request, response, options));
  }

  override token(...given: Parameters<OAuth2Server['token']>): Promise<Token> {
    return this.ask(given, (server, request, response, options) => server.token(request, response, options));
  }

  override async readAuthorizationRequest(...[request, response, options]: Parameters<Read>): ReturnType<Read> {
    const server = await this.find(request, response);
    const asked = await server.readAuthorizationRequest(request, response, options);
    this.readers.set(asked, server);
    return asked;
  }

  override async grantableScope(asked: AuthorizationRequest, user: User, response: Response) {
    return this.readerOf(asked, response).grantableScope(asked, user, response);
  }

  override async needed(...[asked, presence, response]: Parameters<Needed>): ReturnType<Needed> {
    return this.readerOf(asked, response).needed(asked, presence, response);
  }

  override async decide(...[asked, decision, response]: Parameters<Decide>): ReturnType<Decide> {
    return this.readerOf(asked, response).decide(asked, decision, response);
  }

  override async answer(endpoint: string, request: Request, response: Response): Promise<unknown> {
    const server = await this.find(request, response);
    try {
      verifyDocument(server, endpoint, request);
    } catch (error) {
      throw answerError(response, toOAuthError(error));
    }
    return server.answer(endpoint, request, response);
  }

  private ask<T, O>(
    [request, response, options, callback]: readonly [Request, Response, O?, ((error: never, result?: T) => void)?],
    operation: (server: OAuth2Server, request: Request, response: Response, options: O | undefined) => Promise<T>,
  ): Promise<T> {
    const told = (typeof options === 'function' ? options : callback) as typeof callback;
    const given = typeof options === 'function' ? undefined : options;
    const result = this.find(request, response).then((server) => operation(server, request, response, given));
    if (typeof told === 'function') callBack(result, told as never);
    return result;
  }

  private async find(request: Request, response: Response): Promise<OAuth2Server> {
    try {
      if (request instanceof Request) return await this.tenants.find(request);
      throw new InvalidArgumentError('Invalid argument: `request` must be an instance of Request');
    } catch (error) {
      throw answerError(response, toOAuthError(error));
    }
  }

  private readerOf(asked: AuthorizationRequest, response: Response): OAuth2Server {
    const server = this.readers.get(asked);
    if (server) return server;
    throw answerError(response, new InvalidArgumentError('Invalid argument: this server has read no such request'));
  }
}

/** A document is that of the issuer whose name it was found by, and of no other. RFC 8414 §3.3 */
function verifyDocument({ facts }: OAuth2Server, id: string, request: Request): void {
  const endpoint = facts.endpoints.get(id);
  if (!endpoint?.perIssuer) return;
  const asked = comparablePath(requestPath(request)).replace(/\/$/, '');
  const routes = documentRoutes(endpoint, facts.issuerOf(request));
  if (routes.some((route) => comparablePath(route) === asked)) return;
  throw new InvalidRequestError('Invalid request: no tenant is registered for this host or path', { code: 404 });
}
