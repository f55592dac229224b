import type { ServerContext } from '../../contracts/feature.js';
import type { RequiredInteraction, AuthenticationState } from '../../contracts/required-interaction.js';
import type { AuthorizationRequest, Decision } from '../../contracts/response-type.js';
import { InvalidArgumentError, type OAuthError, toOAuthError } from '../../errors/index.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import type { AuthorizationCode, Token, User } from '../../model/model.js';
import type { AuthorizeOptions } from '../../options/options.js';
import { respondWithError, verifyRequestAndResponse } from '../operation.js';
import type { CallOptions } from '../call-options.js';
import { AuthorizationContext } from './authorization-context.js';
import type { AuthorizationTransaction } from './authorization-transaction.js';
import { deferError, isSilent, mayRedirectError, invalidRequest } from './deferred-error.js';
import { openTransaction } from './open-transaction.js';

/**
 * Authorization requests that the application handles in steps, so that it can ask the user between reading and
 * deciding a request. RFC 6749 §4.1.1
 */
export class InteractiveAuthorization {
  private withoutOptions: AuthorizationContext | undefined;
  private readonly transactions = new WeakMap<AuthorizationRequest, AuthorizationTransaction>();

  constructor(
    private readonly server: ServerContext,
    private readonly callOptions: CallOptions,
  ) {}

  async read(
    request: Request,
    response: Response,
    { user, ...options }: AuthorizeOptions & { user?: User },
  ): Promise<AuthorizationRequest> {
    const context = this.contextFor(options, response);
    verifyRequestAndResponse(request, response);
    const transaction = await openTransaction(context, request, response);
    transaction.user = user;
    try {
      await transaction.read(response);
      await (user ? transaction.findGrantableScope(user, response) : transaction.verifyScope(response));
      const copy = copyOf(transaction.request!);
      this.transactions.set(copy, transaction);
      return copy;
    } catch (error) {
      this.defer(error as OAuthError, transaction);
      throw error;
    }
  }

  private contextFor(options: AuthorizeOptions, response: Response): AuthorizationContext {
    const { server } = this;
    try {
      if (Object.keys(options).length > 0) return new AuthorizationContext(this.callOptions.merge(options), server);
      return (this.withoutOptions ??= new AuthorizationContext(server.options, server));
    } catch (error) {
      throw respondWithError(response, toOAuthError(error));
    }
  }

  /**
   * Stores an invalid request whose error was not returned to the client yet: `decide()` returns it once the user is
   * authenticated.
   */
  private defer(error: OAuthError, transaction: AuthorizationTransaction): void {
    if (mayRedirectError(transaction, this.server)) return;
    const authorizationRequest = copyOf(invalidRequest(transaction));
    this.transactions.set(authorizationRequest, transaction);
    deferError(error, {
      authorizationRequest: authorizationRequest,
      silent: isSilent(transaction.effectiveRequest, this.server),
    });
  }

  async grantableScope(copy: AuthorizationRequest, user: User, response: Response): Promise<string | undefined> {
    const transaction = this.find(copy, response);
    const scope = await transaction.findGrantableScope(user, response);
    copy.grantableScope = scope;
    Object.assign(copy.data, transaction.request!.data);
    return scope;
  }

  async requiredInteraction(
    copy: AuthorizationRequest,
    authentication: AuthenticationState,
    response: Response,
  ): Promise<RequiredInteraction> {
    const transaction = this.find(copy, response);
    if (this.server.hooks.authorization.requireInteraction.length === 0) return {};
    return await transaction.findRequiredInteraction(authentication, response);
  }

  async decide(
    copy: AuthorizationRequest,
    decision: Decision,
    response: Response,
  ): Promise<Partial<AuthorizationCode> | Token> {
    const transaction = this.find(copy, response);
    return await transaction.decide(decision ?? {}, response);
  }

  private find(copy: AuthorizationRequest, response: Response): AuthorizationTransaction {
    const transaction = this.transactions.get(copy);
    if (!transaction) throw respondWithError(response, new InvalidArgumentError(UNKNOWN_REQUEST));
    verifyRequestAndResponse(copy.request, response);
    return transaction;
  }
}

/**
 * Returns a copy of a request for the application. Changes to the copy do not affect the decision, and a session can
 * store it.
 */
function copyOf({ request, data, ...members }: AuthorizationRequest): AuthorizationRequest {
  return Object.defineProperty({ ...members, data: { ...data } }, 'request', {
    value: request,
  }) as AuthorizationRequest;
}

const UNKNOWN_REQUEST =
  'Invalid argument: the request to decide must be the object returned by `readAuthorizationRequest()` of this server';
