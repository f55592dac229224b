import { rejectClassicNames, warnOfRemovedOptions } from './classic-names.js';
import { InteractiveAuthorization } from '../endpoints/authorization/interactive-authorization.js';
import { EndpointOperations } from '../endpoints/endpoint-operations.js';
import * as errors from '../errors/index.js';
import * as named from '../errors/catalog.js';
import type { OAuth2EventName, OAuth2Events } from '../events/catalog.js';
import { type EventSink, type EventDetails, hasListener, reportEvent } from '../events/events.js';
import { AbstractGrantType } from '../endpoints/token/grant-type.js';
import type { ServerContext } from '../contracts/feature.js';
import type { RunningOperation } from '../contracts/instrumentation.js';
import { defaultsOf, flattenFeatures } from './feature-list.js';
import { FeatureSet } from './feature-set.js';
import { CLASSIC } from '../features/classic.js';
import { instrumentationsOf, instrumentedOptions } from './instrumentation.js';
import { type Around, nestWrappers, runAround, wrapOuter } from './around.js';
import { Request } from '../http/request.js';
import { Response } from '../http/response.js';
import { attachCallback } from '../endpoints/operation.js';
import { CallOptions } from '../endpoints/call-options.js';
import type { AuthorizationCode, Client, Scope, Token, User } from '../model/model.js';
import type { AuthenticateOptions, AuthorizeOptions, Callback, TokenOptions } from '../options/options.js';
import { DEFAULTS, type Options, resolveOptions } from '../options/resolve-options.js';
import { rejectServerRequirements } from '../options/token-requirements.js';
import { AccessOperations } from '../endpoints/resource/access-operations.js';
import type { ResourceServerOptions, ServerOptions } from './server-options.js';
import type { RequiredInteraction, AuthenticationState } from '../contracts/required-interaction.js';
import type { AuthorizationRequest, Decision } from '../contracts/response-type.js';

/**
 * An OAuth 2.0 server that uses the model of the application. Each operation reads a `Request`, writes the whole
 * response to a `Response`, and rejects with an `OAuthError` on failure. Options of a call override those of the
 * server.
 */
export class OAuth2Server<C extends Client = Client, U extends User = User> {
  private readonly access: AccessOperations;
  private readonly interactive: InteractiveAuthorization;
  private readonly endpoints: EndpointOperations;
  private readonly instrumentation: Around<OAuth2Server> | undefined;
  /** The wrapper that runs around all operations. `undefined` without wrappers. */
  private around: Around<OAuth2Server> | undefined;
  readonly options: ServerOptions<C, U>;
  readonly events: EventSink | undefined;
  /** The server as its features see it: options, installed features, endpoints and hooks. */
  readonly context: ServerContext & Pick<FeatureSet, 'mount'>;

  /** Creates a separate resource server, which only supports `authenticate()`. RFC 6750 */
  constructor(options: ResourceServerOptions<C, U>, events?: EventSink);
  /**
   * Creates an authorization server.
   * @param events Receives the events. If omitted, the option `events` does.
   * @throws {InvalidArgumentError} If `model` is missing, or if the configuration is invalid.
   */
  constructor(options: ServerOptions<C, U>, events?: EventSink);
  constructor(options: { events?: EventSink }, events = options?.events) {
    this.options = options as typeof this.options;
    if (!this.options?.model) throw new errors.InvalidArgumentError('Missing parameter: `model`');
    warnOfRemovedOptions(options);
    rejectServerRequirements(options);
    const features = flattenFeatures(this.options.features ?? []);
    const instrumentations = instrumentationsOf(this.options.instrumentation);
    const resolved = resolveOptions(defaultsOf(features, DEFAULTS as Options), { ...options, events } as object);
    this.context = new FeatureSet([...CLASSIC, ...features], instrumentedOptions(resolved, instrumentations));
    this.instrumentation = nestWrappers(instrumentations);
    this.around = this.instrumentation;
    this.events = this.context.options.events;
    const { context } = this;
    const callOptions = new CallOptions(context);
    this.access = new AccessOperations(context, callOptions);
    this.endpoints = new EndpointOperations(context, callOptions);
    this.interactive = new InteractiveAuthorization(context, callOptions);
  }

  /** Verifies the access token of a request to a protected resource, and returns the token. RFC 6750 */
  authenticate(
    request: Request,
    response: Response,
    options?: AuthenticateOptions | Scope | Callback<Token<C, U>>,
    callback?: Callback<Token<C, U>>,
  ): Promise<Token<C, U>> {
    const given = typeof options === 'string' || Array.isArray(options) ? { scope: options } : options;
    return this.run('authenticate', request, response, given, callback);
  }

  /** Handles an authorization request in a single step: redirects with a code, a token or an error. RFC 6749 §3.1 */
  authorize(
    request: Request,
    response: Response,
    options?: AuthorizeOptions | Callback<AuthorizationCode<C, U>>,
    callback?: Callback<AuthorizationCode<C, U>>,
  ): Promise<AuthorizationCode<C, U>> {
    return this.run('authorize', request, response, options, callback);
  }

  /** Handles a token request: issues tokens to an authenticated or public client. RFC 6749 §3.2 */
  token(
    request: Request,
    response: Response,
    options?: TokenOptions | Callback<Token<C, U>>,
    callback?: Callback<Token<C, U>>,
  ): Promise<Token<C, U>> {
    return this.run('token', request, response, options, callback);
  }

  /** Reads and validates an authorization request. Sets `grantableScope` if `options.user` is set. RFC 6749 §4.1.1 */
  readAuthorizationRequest(
    request: Request,
    response: Response,
    options?: AuthorizeOptions & { user?: U },
  ): Promise<AuthorizationRequest<C>> {
    return this.perform({ name: 'authorize.read', request }, response, ({ interactive }) =>
      interactive.read(request, response, options ?? {}),
    ) as Promise<never>;
  }

  /** Returns the scope that this user would be granted. The model is called once for a request and user. */
  grantableScope(request: AuthorizationRequest<C>, user: U, response: Response): Promise<string | undefined> {
    return this.perform(phase('authorize.scope', request), response, ({ interactive }) =>
      interactive.grantableScope(request, user, response),
    );
  }

  /** Returns the interaction required before the decision, such as a login. OpenID Connect Core 1.0 §3.1.2.3 */
  requiredInteraction(
    request: AuthorizationRequest<C>,
    authentication: AuthenticationState,
    response: Response,
  ): Promise<RequiredInteraction> {
    return this.perform(phase('authorize.interaction', request), response, ({ interactive }) =>
      interactive.requiredInteraction(request, authentication, response),
    );
  }

  /**
   * Sends the response for a decision. Returns the code or token, or rejects with the error it sent. RFC 6749 §4.1.2
   */
  decide(
    request: AuthorizationRequest<C>,
    decision: Decision<U>,
    response: Response,
  ): Promise<AuthorizationCode<C, U>> {
    return this.perform(phase('authorize.decide', request), response, ({ interactive }) =>
      interactive.decide(request, decision, response),
    ) as Promise<never>;
  }

  /**
   * Handles a request at the endpoint of a feature.
   * @param endpoint The ID of the endpoint, such as `revocation`.
   * @throws {InvalidArgumentError} If there is no such endpoint.
   */
  handle(endpoint: string, request: Request, response: Response): Promise<unknown> {
    return this.perform({ name: endpoint, request }, response, ({ endpoints }) =>
      endpoints.run(endpoint, undefined, request, response),
    );
  }

  /**
   * Sets the full paths at which the application serves the endpoints, by endpoint ID. The URLs in the metadata are
   * made of them. `false` means that an endpoint is not served.
   * @param resources The full paths of protected resources, by route path. If omitted, they are at the origin.
   * @throws {InvalidArgumentError} If the options of a feature contradict these resources.
   */
  mount(paths: Readonly<Record<string, string | false>>, resources?: Readonly<Record<string, string>>): void {
    this.context.mount(paths, resources);
  }

  /** Emits an event for an action of the application, such as `report('grant.ended', { endpoint: 'sessions' })`. */
  report<N extends OAuth2EventName>(name: N, details: EventDetails<OAuth2Events[N]>): void {
    if (hasListener(this.events, name)) reportEvent(this.events, name, details);
  }

  /**
   * Sets the wrapper that runs around all operations, outside of the `instrumentation`. A framework adapter calls it
   * before the server receives requests. A later call replaces the wrapper.
   * @internal
   */
  surround(around: Around<OAuth2Server>): void {
    this.around = wrapOuter(around, this.instrumentation);
  }

  private run<Result>(
    name: 'authenticate' | 'authorize' | 'token',
    request: Request,
    response: Response,
    options: object | Callback<Result> | undefined,
    callback: Callback<Result> | undefined,
  ): Promise<Result> {
    if (typeof options === 'function') {
      return this.run(name, request, response, undefined, options as Callback<Result>);
    }
    const operate = ({ access, endpoints }: OAuth2Server) =>
      name === 'authenticate'
        ? access.run(options, request, response)
        : endpoints.run(name, options, request, response);
    const own = this as unknown as OAuth2Server;
    const result = (
      this.around === undefined ? operate(own) : this.perform({ name, request }, response, operate)
    ) as Promise<Result>;
    if (typeof callback === 'function') attachCallback(result, callback);
    return result;
  }

  /** Runs an operation inside the wrappers of this server, or of the server that the outermost wrapper chooses. */
  private perform<T>(operation: Operation, response: Response, work: (server: OAuth2Server) => Promise<T>): Promise<T> {
    const { around } = this;
    const own = this as unknown as OAuth2Server;
    // If `request` is not a `Request`, the operation itself rejects it.
    if (around === undefined || !(operation.request instanceof Request)) return work(own);
    const run = (target?: OAuth2Server) => (target ? target.perform(operation, response, work) : work(own));
    return runAround(around, { operation: { ...operation, server: this.context }, response, run });
  }

  static readonly OAuth2Server = OAuth2Server;
  static readonly Request = Request;
  static readonly Response = Response;
  static readonly AbstractGrantType = AbstractGrantType;
}

/** An operation, without the server that runs it. */
type Operation = Omit<RunningOperation, 'server'>;

/** Returns the operation for a phase that continues an authorization request, such as `authorize.decide`. */
const phase = (name: string, authorization: AuthorizationRequest) => ({
  name,
  request: authorization?.request,
  authorization,
});

rejectClassicNames(OAuth2Server.prototype);

/**
 * The error classes as members of the class, as in version 3.x. A class that is missing in classic-types.ts does not
 * compile.
 */
Object.assign(OAuth2Server, named satisfies Pick<typeof OAuth2Server, keyof typeof named>, {
  OAuthError: errors.OAuthError,
  InvalidArgumentError: errors.InvalidArgumentError,
});
