import { refuseClassicNames, warnOfRemovedOptions } from './classic-names.js';
import { AuthorizeEndpoint } from './endpoints/authorize.js';
import { TokenEndpoint } from './endpoints/token.js';
import * as errors from './errors.js';
import { AbstractGrantType } from './grants/grant-type.js';
import { Request } from './http/request.js';
import { Response } from './http/response.js';
import { callBack, refuseSetUp } from './operation.js';
import type { AuthorizationCode, Client, Scope, Token, User } from './model/model.js';
import {
  type AuthenticateOptions,
  type AuthorizeOptions,
  type Callback,
  DEFAULTS,
  type OAuth2ServerOptions,
  KEPT_OPERATIONS,
  onlyScope,
  type Options,
  settleOptions,
  type TokenOptions,
} from './options.js';
import { AuthenticateOperation } from './resource/authenticate.js';
import type { AuthorizationRequest } from './response-types/authorization-request.js';

type OperationClass<O> = new (options: Options) => O;

/** What a call of an operation brings beside the request. */
interface Call {
  response: Response;
  options?: object | undefined;
  callback?: unknown;
}

/**
 * An OAuth 2.0 server over the host's model. Each operation reads a `Request`, writes its whole answer to a `Response`,
 * and resolves to what it found or made; it rejects with an `OAuthError`. Options of a call win over those of the server.
 */
export class OAuth2Server<C extends Client = Client, U extends User = User> {
  private readonly settled: Options;
  private readonly operations = new Map<unknown, Map<string | undefined, unknown>>();

  /** @throws InvalidArgumentError without a model */
  constructor(readonly options: OAuth2ServerOptions<C, U>) {
    if (!options?.model) throw new errors.InvalidArgumentError('Missing parameter: `model`');
    warnOfRemovedOptions(options);
    this.settled = settleOptions(DEFAULTS as unknown as Options, options);
  }

  /** Finds and checks the access token of a request to a protected resource. RFC 6750 */
  authenticate(
    request: Request,
    response: Response,
    options?: AuthenticateOptions | Scope | Callback<Token<C, U>>,
    callback?: Callback<Token<C, U>>,
  ): Promise<Token<C, U>> {
    const given = typeof options === 'string' || Array.isArray(options) ? { scope: options } : options;
    return this.run(AuthenticateOperation, { response, options: given, callback }, (operation) =>
      operation.handle(request, response),
    ) as never;
  }

  /** Answers an authorization request by a redirect that carries a code, a token or an error. RFC 6749 §3.1 */
  authorize(
    request: Request,
    response: Response,
    options?: AuthorizeOptions | Callback<AuthorizationCode<C, U>>,
    callback?: Callback<AuthorizationCode<C, U>>,
  ): Promise<AuthorizationCode<C, U>> {
    return this.run(AuthorizeEndpoint, { response, options, callback }, (operation) =>
      operation.handle(request, response),
    ) as never;
  }

  /** Issues tokens to a client that proves itself. RFC 6749 §3.2 */
  token(
    request: Request,
    response: Response,
    options?: TokenOptions | Callback<Token<C, U>>,
    callback?: Callback<Token<C, U>>,
  ): Promise<Token<C, U>> {
    return this.run(TokenEndpoint, { response, options, callback }, (operation) =>
      operation.handle(request, response),
    ) as never;
  }

  /**
   * Reads and checks an authorization request without deciding it; `authorize` decides it later. With a user, its scope
   * is what the model would grant this user: what a consent page should show. RFC 6749 §4.1.1
   */
  readAuthorizationRequest(
    request: Request,
    response: Response,
    given?: AuthorizeOptions & { user?: U },
  ): Promise<AuthorizationRequest<C>> {
    const { user, ...options } = given ?? {};
    return this.run(AuthorizeEndpoint, { response, options }, (operation) =>
      operation.read(request, response, user),
    ) as never;
  }

  private run<O, Result>(
    Operation: OperationClass<O>,
    { response, options, callback }: Call,
    handle: (operation: O) => Promise<Result>,
  ): Promise<Result> {
    if (typeof options === 'function') return this.run(Operation, { response, callback: options }, handle);
    let result: Promise<Result>;
    try {
      result = handle(this.operation(Operation, options));
    } catch (error) {
      result = Promise.reject(refuseSetUp(response, errors.toOAuthError(error)));
    }
    if (typeof callback === 'function') callBack(result, callback as Callback<Result>);
    return result;
  }

  private operation<O>(Operation: OperationClass<O>, options: object | undefined): O {
    const scope = options && onlyScope(options);
    if (options && scope === undefined) return new Operation(settleOptions(this.settled, options));
    let made = this.operations.get(Operation) as Map<string | undefined, O> | undefined;
    if (!made) this.operations.set(Operation, (made = new Map()));
    let operation = made.get(scope);
    if (!operation) {
      operation = new Operation(options ? settleOptions(this.settled, options) : this.settled);
      if (made.size < KEPT_OPERATIONS) made.set(scope, operation);
    }
    return operation;
  }

  static readonly OAuth2Server = OAuth2Server;
  static readonly Request = Request;
  static readonly Response = Response;
  static readonly AbstractGrantType = AbstractGrantType;
  static readonly OAuthError = errors.OAuthError;
  static readonly AccessDeniedError = errors.AccessDeniedError;
  static readonly InsufficientScopeError = errors.InsufficientScopeError;
  static readonly InvalidArgumentError = errors.InvalidArgumentError;
  static readonly InvalidClientError = errors.InvalidClientError;
  static readonly InvalidGrantError = errors.InvalidGrantError;
  static readonly InvalidRequestError = errors.InvalidRequestError;
  static readonly InvalidScopeError = errors.InvalidScopeError;
  static readonly InvalidTokenError = errors.InvalidTokenError;
  static readonly ServerError = errors.ServerError;
  static readonly UnauthorizedClientError = errors.UnauthorizedClientError;
  static readonly UnauthorizedRequestError = errors.UnauthorizedRequestError;
  static readonly UnsupportedGrantTypeError = errors.UnsupportedGrantTypeError;
  static readonly UnsupportedResponseTypeError = errors.UnsupportedResponseTypeError;
}

refuseClassicNames(OAuth2Server.prototype);
