import { InvalidArgumentError, type OAuthError, ServerError, toOAuthError } from '../../errors/index.js';
import type { ServerContext } from '../../contracts/feature.js';
import { isSelfRegistered } from '../../clients/registration/self-registered.js';
import type { Request } from '../../http/request.js';
import type { Response } from '../../http/response.js';
import { callMethod } from '../../model/adapt-model.js';
import type { AuthorizationCode, Awaitable, Token, User } from '../../model/model.js';
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
    // For a self-registered client the user must be signed in, since a link with `allowed=false` would otherwise be an
    // open redirect.
    if (denied && !isSelfRegistered(transaction.client))
      return await transaction.decide({ error: userDenied() }, response);
    let user: User;
    try {
      user = await this.findUser(request, response);
      if (!user) throw new ServerError(NO_USER);
    } catch (thrown) {
      const error = this.renderNoUser(thrown, request, response);
      if (!denied) await this.returnSilentError(error, transaction, response);
      throw error;
    }
    if (denied) return await transaction.decide({ user, error: userDenied() }, response);
    transaction.user = user;
    const signIn = this.options.authenticateHandler?.howSignedIn && (await this.howSignedIn(user, request, response));
    // The handler may change the request, for example after a login, so the other parameters are read after it.
    const reading = transaction.read(response);
    if (reading instanceof Promise) await reading;
    return await transaction.decide({ user, signIn }, response);
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

  /** Returns the user from the authenticate handler, or of the access token in the request. */
  private findUser(request: Request, response: Response): Awaitable<User> {
    if (this.authentication) return this.authentication.verify(request, response).then(({ user }) => user);
    return callMethod(this.options.authenticateHandler!, 'handle', [request, response]) as Awaitable<User>;
  }

  /**
   * Renders the error of a request without a signed-in user in the browser, unless the handler has already written a
   * response, such as a redirect to its login page.
   * @returns The error to throw.
   */
  private renderNoUser(thrown: unknown, request: Request, response: Response): OAuthError {
    const { authenticateHandler: handler, events } = this.options;
    const hasResponded = handler && (response.status !== 200 || response.get('location') !== undefined);
    const error = toOAuthError(thrown);
    if (hasResponded && error.message === NO_USER) return markSignInPending(error);
    reportAuthorizationRefusal(events, request, error);
    return hasResponded ? error : respondWithError(response, error);
  }

  /**
   * Returns `login_required` to the client if no user is signed in and the request contains `prompt=none`.
   * @throws {OAuthError} The error that was returned to the client instead of `error`.
   */
  private async returnSilentError(
    error: OAuthError,
    transaction: AuthorizationTransaction,
    response: Response,
  ): Promise<void> {
    if (error.message !== NO_USER || this.server.hooks.authorization.requireInteraction.length === 0) return;
    if (isSelfRegistered(transaction.client) && !isSilent(transaction.effectiveRequest, this.server)) return;
    await transaction.read(response);
    await transaction.findRequiredInteraction({}, response);
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
