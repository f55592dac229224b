import { errorResponse } from '../error-response.js';
import { AccessDeniedError, InvalidArgumentError, type OAuthError, ServerError, toOAuthError } from '../errors.js';
import { CodeResponseType } from '../features/authorization-code/code-response.js';
import type { Request } from '../http/request.js';
import type { Response } from '../http/response.js';
import { callMethod } from '../model/adapt-model.js';
import type { AuthorizationCode, Token, User } from '../model/model.js';
import { requireMethods } from '../model/require-methods.js';
import { answerError, Operation, verifyWrappers } from '../operation.js';
import { AuthenticateOperation } from '../resource/authenticate.js';
import {
  findDestination,
  findResponseType,
  readAuthorizationRequest,
  readState,
  verifyAllowed,
} from '../response-types/authorization-request.js';
import { answerUri } from '../response-types/redirect-uri.js';
import { errorMode, type ResponseMode } from '../response-types/response-mode.js';
import type { AuthorizationRequest, Destination } from '../response-types/response-type.js';
import { lifetime } from '../tokens/lifetime.js';
import { approveScope, verifyClientScope } from '../tokens/scope.js';
import { type Asked, isDenied, reportGranted, reportRefused, signInUnderWay } from './authorize-events.js';

/** Answers an authorization request in the name of the user who is signed in. RFC 6749 §3.1 */
export class AuthorizeEndpoint extends Operation<Partial<AuthorizationCode> | Token> {
  private readonly types = this.server.responseTypes;

  async handle(request: Request, response: Response): Promise<Partial<AuthorizationCode> | Token> {
    verifyWrappers(request, response);
    this.verifySetUp(request, response);
    const denied = isDenied(request);
    const destination = await this.findDestination(request, response, denied);
    const user = denied ? undefined : await this.findUser(request, response);
    try {
      if (!user) throw new AccessDeniedError(DENIED);
      const authorization = readAuthorizationRequest(request, destination, {
        options: this.options,
        types: this.types,
      });
      const ResponseType = this.types.get(authorization.responseType)!;
      const answer = await new ResponseType(this.options).handle(authorization, user);
      const { redirectUri, responseMode: mode, state } = authorization;
      this.redirect(response, { redirectUri, mode, state }, answer.parameters);
      if (this.options.events) reportGranted(this.options.events, authorization, { user, answer });
      return answer.result;
    } catch (error) {
      throw this.refuse(request, response, { ...destination, user }, toOAuthError(error));
    }
  }

  /** Reads and checks a request without deciding it; refuses it just as `handle` would. */
  async read(request: Request, response: Response, user?: User): Promise<AuthorizationRequest> {
    verifyWrappers(request, response);
    const destination = await this.findDestination(request, response, false);
    try {
      const authorization = readAuthorizationRequest(request, destination, {
        options: this.options,
        types: this.types,
      });
      if (user) authorization.scope = await approveScope(this.options, { user, ...authorization });
      else await verifyClientScope(this.options, authorization);
      return authorization;
    } catch (error) {
      throw this.refuse(request, response, { ...destination, user }, toOAuthError(error));
    }
  }

  private verifySetUp(request: Request, response: Response): void {
    const { authenticateHandler, authorizationCodeLifetime, model } = this.options;
    try {
      if (authenticateHandler && typeof authenticateHandler.handle !== 'function') {
        throw new InvalidArgumentError('Invalid argument: authenticateHandler does not implement `handle()`');
      }
      lifetime(authorizationCodeLifetime, 'authorizationCodeLifetime');
      const { requires } = findResponseType(request, this.types) ?? CodeResponseType;
      requireMethods(model, authenticateHandler ? ['getClient'] : ['getClient', 'getAccessToken']);
      requireMethods(model, requires);
    } catch (error) {
      throw answerError(response, toOAuthError(error));
    }
  }

  private async findDestination(request: Request, response: Response, denied: boolean): Promise<Destination> {
    let destination: Destination;
    try {
      requireMethods(this.options.model, ['getClient']);
      destination = await findDestination(request, this.options);
    } catch (error) {
      const failure = denied ? new AccessDeniedError(DENIED) : toOAuthError(error);
      reportRefused(this.options.events, request, failure);
      throw answerError(response, failure);
    }
    try {
      if (!denied) verifyAllowed(request, destination.client, this.types);
    } catch (error) {
      throw this.refuse(request, response, destination, toOAuthError(error));
    }
    return destination;
  }

  /** Failures here are the host's or the user's, not the client's to hear of. */
  private async findUser(request: Request, response: Response): Promise<User> {
    const { authenticateHandler: handler } = this.options;
    try {
      if (!handler) return (await new AuthenticateOperation(this.options, this.server).verify(request, response)).user;
      const user = await callMethod(handler, 'handle', [request, response]);
      if (!user) throw new ServerError(NOBODY);
      return user;
    } catch (error) {
      // A handler may have answered for itself, say by a redirect to its login page.
      const answered = handler && (response.status !== 200 || response.get('location') !== undefined);
      const failure = toOAuthError(error);
      if (answered && failure.message === NOBODY) throw signInUnderWay(failure);
      reportRefused(this.options.events, request, failure);
      throw answered ? failure : answerError(response, failure);
    }
  }

  private refuse(request: Request, response: Response, asked: Asked, error: OAuthError): OAuthError {
    const { redirectUri } = asked;
    reportRefused(this.options.events, request, error, asked);
    const mode = errorMode(request, findResponseType(request, this.types) ?? CodeResponseType);
    this.redirect(response, { redirectUri, mode, state: stateOf(request) }, errorResponse(error));
    return error;
  }

  private redirect(response: Response, { redirectUri, mode, state }: Way, answer: Record<string, string>): void {
    if (state !== undefined) answer['state'] = state;
    if (this.options.issuer !== undefined) answer['iss'] = this.options.issuer;
    response.headers['cache-control'] = 'no-store';
    response.redirect(answerUri(redirectUri, mode, answer));
  }
}

/** How an answer gets to the client. */
interface Way {
  redirectUri: string;
  mode: ResponseMode;
  state?: string | undefined;
}

function stateOf(request: Request): string | undefined {
  try {
    return readState(request);
  } catch {
    // A state that cannot be read is the error being reported.
    return undefined;
  }
}

const NOBODY = 'Server error: `handle()` did not return a `user` object';
const DENIED = 'Access denied: user denied access to application';
