import { type CanActivate, type ExecutionContext, Inject, Injectable, Optional, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

import { admitRequest, assertConfig, presentsToken, shareLookUps, toOAuthError } from '../../lib/internal.js';
import {
  type AuthenticateOptions,
  type Awaitable,
  OAuth2Server,
  type OAuthError,
  type Request,
  Response,
  type Token,
} from '../../lib/index.js';
import { logServerError } from '../operations/error-log.js';
import { type NativeRequest, toOAuthRequest } from '../http/http-adapter.js';
import { copyHeaders } from '../http/native-reply.js';
import { OAUTH2_REGISTRATION } from '../oauth2.tokens.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';
import { type AccessRequirements, authenticateOptionsFor, readAccessRequirements } from './access-requirements.js';
import { NamedServers, verifyModel } from './named-servers.js';
import { closeWithToken, ServerConnections } from './server-connections.js';
import { SERVER_STATE } from '../module/server-state.js';
import type { OpenConnections } from './open-connections.js';
import { authenticateBySession, findOptionalSession, SESSION_ACCESS, sessionsFor } from './session-access.js';
import { findTransport } from './transports/find-transport.js';
import type { OpenStream, RefusalContext } from './transports/transport.js';

/**
 * Accepts requests with a valid access token that meets the requirements of the route, over HTTP, GraphQL, WebSockets
 * and microservices. If a method, its controller and the classes it extends have `@Scopes()`, `@AnyScope()`,
 * `@OptionalAuth()`, `@Public()` or `@UseGuards(OAuthGuard)`, the nearest declaration applies. RFC 6750
 */
@Injectable()
export class OAuthGuard implements CanActivate {
  /** The requirements of each route, by controller, because several controllers may inherit a method. */
  private readonly requirements = new WeakMap<Type, Map<unknown, AccessRequirements>>();

  private readonly server: OAuth2Server | undefined;
  private readonly namedServers: NamedServers;
  /** The open connections of a server that the application has made without the module. */
  private ownConnections: ServerConnections | undefined;

  /**
   * Seconds between two verifications of the tokens of open connections and streams. `0`: they are not verified again.
   * A connection is closed if its token is no longer valid or does not meet the requirements of the route any more, and
   * if the token could not be verified ten times in a row. Connections close at once if their token is revoked by this
   * process, and when it expires. Default: `30`.
   */
  protected readonly recheck: number = 30;

  /**
   * @param server the default server
   * @param registration the registration of the module. It shows that the module is imported even if its server could
   * not be made.
   * @param modules the modules in which named servers are found
   */
  constructor(
    @Optional() @Inject(OAuth2Server) server: OAuth2Server,
    @Optional() @Inject(OAUTH2_REGISTRATION) registration?: object,
    @Optional() @Inject(ModulesContainer) modules?: ModulesContainer,
  ) {
    this.namedServers = new NamedServers(modules);
    assertConfig(server !== undefined || registration !== undefined || this.namedServers.hasAny, NO_MODULE);
    this.server = server;
    if (server) verifyModel(server);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const requirements = this.findRequirements(context);
    if (requirements.isPublic) return true;
    const transport = findTransport(context);
    const read = this.getRequest(context);
    const native = read instanceof Promise ? await read : (read as NativeRequest);
    const request = toOAuthRequest(native);
    const key = transport.findRequestKey?.(context);
    if (key) shareLookUps(request, key);
    const reply = transport.findReply?.(context);
    const response = new Response();
    const attached = transport.findAttachedToken(context);
    // Fields of one GraphQL query are guarded concurrently, so keep the token that another field has attached.
    if (!('oauth2' in attached)) attached.oauth2 = undefined;
    try {
      if (requirements.optional && !presentsToken(request))
        return await this.admitWithoutToken(context, requirements, { native, request, response });
      const selected = this.selectServer(requirements, native);
      let server = selected instanceof Promise ? await selected : selected;
      assertConfig(server !== undefined, NO_SERVER);
      const tenants = tenantServersOf(server);
      if (tenants) server = await tenants.find(request);
      const options = authenticateOptionsFor(requirements, native);
      const sessions = presentsToken(request) ? undefined : sessionsFor(server, requirements);
      if (sessions) authenticateBySession(sessions, request, response, server.context);
      const token = await server.authenticate(request, response, options);
      this.attach(context, token);
      const stream = transport.findStream?.(context, requirements);
      if (stream) this.closeWithToken(context, stream, { token, server, request, options });
      return true;
    } catch (error) {
      const failure = toOAuthError(error);
      logServerError(failure);
      return this.handleRefusal(context, failure, { response, cause: error });
    } finally {
      if (reply) copyHeaders(response, reply);
    }
  }

  /**
   * Returns the request that the token is read from: the HTTP request, the handshake of a WebSocket, or the headers of
   * a message. Override it if clients send the token elsewhere, and return
   * `{ method: 'GET', headers: { authorization }, query: {} }`.
   */
  protected getRequest(context: ExecutionContext): Awaitable<NativeRequest> {
    return findTransport(context).readRequest(context);
  }

  /**
   * Attaches a verified token to the request for `@AccessToken()`, `@CurrentUser()` and `@OAuthClient()`. An override may
   * throw an `OAuthError` to reject the token. For an open connection it is called again after each verification.
   */
  protected attach(context: ExecutionContext, token: Token): void {
    findTransport(context).findAttachedToken(context).oauth2 = { token };
  }

  /**
   * Rejects a request with the exception of its transport: `HttpException`, `WsException` or `RpcException`. An
   * override may return `true` to accept the request.
   */
  protected handleRefusal(context: ExecutionContext, failure: OAuthError, refusal: RefusalContext): Awaitable<boolean> {
    const exception = findTransport(context).toException(failure, refusal, context);
    if (!(exception instanceof Promise)) throw exception;
    return exception.then((made) => {
      throw made;
    });
  }

  /** Whether there is a default server, for routes that select none. @internal */
  get hasDefaultServer(): boolean {
    return this.server !== undefined;
  }

  /** Whether the default server has no login sessions for routes with `@AcceptSession()`. @internal */
  get lacksSessions(): boolean {
    const { server } = this;
    // Each tenant has sessions of its own. A mock server of a test has no context.
    if (!server?.context || tenantServersOf(server)) return false;
    return server.context.find(SESSION_ACCESS) === undefined;
  }

  private selectServer(requirements: AccessRequirements, native: NativeRequest): Awaitable<OAuth2Server | undefined> {
    return requirements.server === undefined ? this.server : this.namedServers.find(requirements.server, native);
  }

  /**
   * Verifies a request without a token to a route with `@OptionalAuth()`, such as its `Origin`. A request that belongs
   * to no server or tenant is accepted. A login session that the route does not accept is ignored, because browsers
   * send cookies unasked.
   */
  private async admitWithoutToken(
    context: ExecutionContext,
    requirements: AccessRequirements,
    { native, request, response }: { native: NativeRequest; request: Request; response: Response },
  ): Promise<true> {
    const selected = await this.selectServer(requirements, native);
    const tenants = selected && tenantServersOf(selected);
    const server = tenants ? await tenants.find(request).catch(() => undefined) : selected;
    // A mock server of a test has no context.
    if (server?.context) admitRequest(request, new Response(), { server: server.context, events: server.events });
    const sessions = server && sessionsFor(server, requirements);
    if (!sessions) return true;
    const options = authenticateOptionsFor(requirements, native);
    const token = await findOptionalSession(sessions, request, response, { server, options });
    if (!token) return true;
    this.attach(context, token);
    const stream = findTransport(context).findStream?.(context, requirements);
    if (stream) this.closeWithToken(context, stream, { token, server, request, options });
    return true;
  }

  /** Closes the connection or stream that a request opens when its token is not valid any more. */
  private closeWithToken(
    context: ExecutionContext,
    stream: OpenStream,
    { token, server, request, options }: AcceptedToken,
  ): void {
    const connections = this.connectionsOf(server);
    const attach = (current: Token) => this.attach(context, current);
    if (connections) closeWithToken(token, stream, { server, request, options, attach, connections });
  }

  /** Returns the open connections of a server. `undefined` for a mock server of a test without a model. */
  private connectionsOf({ context }: OAuth2Server): OpenConnections | undefined {
    if (!context?.options.model) return undefined;
    const made = context.find(SERVER_STATE)?.connections ?? (this.ownConnections ??= new ServerConnections());
    return made.withInterval(this.recheck);
  }

  private findRequirements(context: ExecutionContext): AccessRequirements {
    const controller = context.getClass();
    const handler = context.getHandler();
    let demands = this.requirements.get(controller);
    if (!demands) this.requirements.set(controller, (demands = new Map()));
    let requirements = demands.get(handler);
    if (!requirements) {
      requirements = readAccessRequirements(handler, controller, isOAuthGuard);
      requirements.isEventStream = Boolean(Reflect.getMetadata(SSE_METADATA, handler));
      demands.set(handler, requirements);
    }
    return requirements;
  }
}

/** An accepted token, with the server and the options that accepted it. */
interface AcceptedToken {
  readonly token: Token;
  readonly server: OAuth2Server;
  readonly request: Request;
  readonly options: AuthenticateOptions | undefined;
}

/** The metadata key of `@Sse()`. */
const SSE_METADATA = '__sse__';
const NO_MODULE =
  'OAuthGuard finds no OAuth2Server in the module of its controller: import a module there that exports OAuth2Module, or register OAuth2Module with `isGlobal: true`';

const NO_SERVER =
  'OAuthGuard finds no default server: add @UseOAuth() with the name of a server to the method or its controller';

/** Whether a value passed to `@UseGuards()` is an `OAuthGuard`: its class, a derived class, or an instance. */
export function isOAuthGuard(guard: unknown): boolean {
  if (guard === OAuthGuard || guard instanceof OAuthGuard) return true;
  return typeof guard === 'function' && guard.prototype instanceof OAuthGuard;
}
