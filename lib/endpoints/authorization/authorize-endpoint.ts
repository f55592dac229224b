import { InvalidArgumentError, OAuthError, ServerError, toOAuthError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import { isSelfRegistered } from '../../clients/registration/self-registered.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import { callMethod } from '../../model/adapt-model.js';
import type { AuthorizationCode, Token, User } from '../../model/model.js';
import type { SignIn } from '../../model/sign-in.js';
import { respondWithError, Operation, verifyRequestAndResponse } from '../operation.js';
import type { Options } from '../../options/resolve-options.js';
import { AuthenticateOperation } from '../resource/authenticate.js';
import { AuthorizationContext } from './authorization-context.js';
import { userDenied } from './authorization-errors.js';
import { reportAuthorizationRefusal, markSignInPending } from './authorization-events.js';
import type { AuthorizationTransaction } from './authorization-transaction.js';
import { isSilent } from './deferred-error.js';
import { openTransaction } from './open-transaction.js';

/** The authorization endpoint without a consent page. It grants requests of a signed-in user at once. RFC 6749 §3.1 */
export class AuthorizeEndpoint extends Operation<Partial<AuthorizationCode> | Token> {
  private readonly context: AuthorizationContext;
  /**
   * Authenticates the user by an access token in the request. Set only if the option `authenticateHandler` is omitted.
   */
  private readonly authentication: AuthenticateOperation | undefined;

  constructor(options: Options, server: ServerContext) {
    super(options, server);
    const { authenticateHandler: handler } = options;
    if (handler && typeof handler.handle !== 'function') {
      throw new InvalidArgumentError('Invalid argument: authenticateHandler does not implement `handle()`');
    }
    this.context = new AuthorizationContext(options, server);
    if (!handler) this.authentication = new AuthenticateOperation(options, server);
  }

  async handle(request: Request, response: Response): Promise<Partial<AuthorizationCode> | Token> {
    verifyRequestAndResponse(request, response);
    const denied = isDenied(request);
    const transaction = await openTransaction(this.context, request, response, denied);
    if (denied) return await this.deny(transaction, request, response);
    // The handler may change the request, for example after a login, so the other parameters are read after it.
    const user = (transaction.user = await this.findUser(transaction, request, response));
    const signIn = this.options.authenticateHandler?.howSignedIn && (await this.howSignedIn(user, request, response));
    const reading = transaction.read(response);
    if (reading instanceof Promise) await reading;
    return await transaction.decide({ user, signIn }, response);
  }

  /**
   * Sends the error of a denied request. For a self-registered client the user must be signed in, since a link with
   * `allowed=false` would otherwise be an open redirect.
   */
  private async deny(
    transaction: AuthorizationTransaction,
    request: Request,
    response: Response,
  ): Promise<Partial<AuthorizationCode> | Token> {
    const user = isSelfRegistered(transaction.client) ? await this.authenticateUser(request, response) : undefined;
    return await transaction.decide({ user, error: userDenied() }, response);
  }

  private async howSignedIn(user: User, request: Request, response: Response): Promise<SignIn | undefined> {
    const { authenticateHandler: handler, events } = this.options;
    try {
      return (await handler!.howSignedIn!(user, request)) || undefined;
    } catch (error) {
      const failure = toOAuthError(error);
      reportAuthorizationRefusal(events, request, failure);
      throw respondWithError(response, failure);
    }
  }

  /**
   * Returns the signed-in user. If no user is signed in, the error is rendered in the browser, or the handler has
   * already redirected it to a login page. For a request with `prompt=none`, `login_required` is returned to the client
   * instead.
   */
  private findUser(transaction: AuthorizationTransaction, request: Request, response: Response): Promise<User> {
    if (this.server.hooks.authorization.requireInteraction.length === 0)
      return this.authenticateUser(request, response);
    return this.findPromptedUser(transaction, request, response);
  }

  private async findPromptedUser(
    transaction: AuthorizationTransaction,
    request: Request,
    response: Response,
  ): Promise<User> {
    try {
      return await this.authenticateUser(request, response);
    } catch (error) {
      // With `prompt=none`, the client must be told that no user is signed in.
      const isAllowed = !isSelfRegistered(transaction.client) || isSilent(transaction.effectiveRequest, this.server);
      if (isAllowed && error instanceof OAuthError && error.message === NO_USER) {
        await transaction.read(response);
        await transaction.findRequiredInteraction({}, response);
      }
      throw error;
    }
  }

  private async authenticateUser(request: Request, response: Response): Promise<User> {
    const { authenticateHandler: handler } = this.options;
    try {
      if (this.authentication) return (await this.authentication.verify(request, response)).user;
      const user = await callMethod(handler!, 'handle', [request, response]);
      if (!user) throw new ServerError(NO_USER);
      return user;
    } catch (error) {
      // The handler may already have written a response, such as a redirect to its login page.
      const hasResponded = handler && (response.status !== 200 || response.get('location') !== undefined);
      const failure = toOAuthError(error);
      if (hasResponded && failure.message === NO_USER) throw markSignInPending(failure);
      reportAuthorizationRefusal(this.options.events, request, failure);
      throw hasResponded ? failure : respondWithError(response, failure);
    }
  }
}

const NO_USER = 'Server error: `handle()` did not return a `user` object';

/**
 * Whether the request contains `allowed=false`, in the URL or the form. One `false` among repeated values is enough.
 */
function isDenied(request: Request): boolean {
  return isDenial(request.query?.['allowed']) || isDenial(request.body?.allowed);
}

const isDenial = (allowed: unknown) => allowed === 'false' || (Array.isArray(allowed) && allowed.includes('false'));
