import { type CanActivate, type ExecutionContext, Inject, Injectable, Optional, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { assertConfig, hasToken, shareTokenLookUps, toOAuthError } from '../../lib/adapter/index.js';
import { type Awaitable, OAuth2Server, type OAuthError, Response, type Token } from '../../lib/index.js';
import { logServerError } from '../operations/error-log.js';
import { type NativeRequest, toOAuthRequest } from '../http/http-adapter.js';
import { copyHeaders } from '../http/native-reply.js';
import { OAUTH2_REGISTRATION } from '../oauth2.tokens.js';
import { tenantServersOf } from '../tenants/tenant-servers-of.js';
import { type AccessRequirements, authenticateOptionsFor, readAccessRequirements } from './access-requirements.js';
import { NamedServers, verifyModel } from './named-servers.js';
import { CONNECTIONS, closeWithToken, ServerConnections } from './server-connections.js';
import type { OpenConnections } from './open-connections.js';
import { findTransport } from './transports/find-transport.js';
import type { RefusalContext } from './transports/transport.js';

/**
 * Lets requests pass that carry a good access token with the scopes of the route, by whatever transport they came. Of
 * `@Scopes()`, `@AnyScope()`, `@OptionalAuth()`, `@Public()` and `@UseGuards(OAuthGuard)` on a method, its controller and
 * what that one extends the nearest counts. RFC 6750
 */
@Injectable()
export class OAuthGuard implements CanActivate {
  /** Found once per route: by controller, since an inherited method belongs to several. */
  private readonly requirements = new WeakMap<Type, Map<unknown, AccessRequirements>>();

  private readonly server: OAuth2Server | undefined;
  private readonly namedServers: NamedServers;
  /** The open connections of a server that the application has made without the module. */
  private ownConnections: ServerConnections | undefined;

  /**
   * Seconds between two looks at the tokens on whose ground connections and streams are open; 0: none. What is ended in this
   * process is closed at once, and everything at the second it expires.
   */
  protected readonly recheck: number = 30;

  /**
   * @param server the one without a name
   * @param registration shows that the module is there, though its server may have failed, which is said elsewhere
   * @param modules where the servers with a name are found
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
    const demand = this.findRequirements(context);
    if (demand.isPublic) return true;
    const transport = findTransport(context);
    const read = this.getRequest(context);
    const given = read instanceof Promise ? await read : (read as NativeRequest);
    const asked = toOAuthRequest(given);
    const key = transport.findRequestKey?.(context);
    if (key) shareTokenLookUps(asked, key);
    const reply = transport.findReply?.(context);
    const response = new Response();
    const attached = transport.findAttachedToken(context);
    // Fields of one GraphQL query are guarded at once: what another one has found stays.
    if (!('oauth2' in attached)) attached.oauth2 = undefined;
    try {
      if (demand.optional && !hasToken(asked)) return true;
      const found = demand.server === undefined ? this.server : this.namedServers.find(demand.server, given);
      let server = found instanceof Promise ? await found : found;
      assertConfig(server !== undefined, NO_SERVER);
      const tenants = tenantServersOf(server);
      if (tenants) server = await tenants.find(asked);
      const token = await server.authenticate(asked, response, authenticateOptionsFor(demand, given));
      this.attach(context, token);
      const stream = transport.findStream?.(context, demand);
      const connections = stream && this.connectionsOf(server);
      if (connections) closeWithToken(token, stream, { server, request: asked, connections });
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
   * What the token is read from: the native request of HTTP, the handshake of a WebSocket, what stands for the headers of a
   * message. For hosts whose clients send their token elsewhere: `{ method: 'GET', headers: { authorization }, query: {} }`.
   */
  protected getRequest(context: ExecutionContext): Awaitable<NativeRequest> {
    return findTransport(context).readRequest(context);
  }

  /** Leaves a good token where `@AccessToken()`, `@CurrentUser()` and `@OAuthClient()` look for it. */
  protected attach(context: ExecutionContext, token: Token): void {
    findTransport(context).findAttachedToken(context).oauth2 = { token };
  }

  /**
   * Turns a request away as its transport has it: by an `HttpException`, a `WsException`, an `RpcException`.
   * @returns true where it is let pass all the same
   */
  protected handleRefusal(context: ExecutionContext, failure: OAuthError, refusal: RefusalContext): Awaitable<boolean> {
    const exception = findTransport(context).toException(failure, refusal, context);
    if (!(exception instanceof Promise)) throw exception;
    return exception.then((made) => {
      throw made;
    });
  }

  /** Has it a server to ask where a route names none? @internal */
  get hasDefaultServer(): boolean {
    return this.server !== undefined;
  }

  /** Returns the open connections of a server. `undefined` for a stand-in of a test that has no model. */
  private connectionsOf({ context: facts }: OAuth2Server): OpenConnections | undefined {
    const model = facts?.options.model;
    if (!model) return undefined;
    const made = facts.find(CONNECTIONS) ?? (this.ownConnections ??= new ServerConnections(model));
    return made.withInterval(this.recheck);
  }

  private findRequirements(context: ExecutionContext): AccessRequirements {
    const controller = context.getClass();
    const handler = context.getHandler();
    let demands = this.requirements.get(controller);
    if (!demands) this.requirements.set(controller, (demands = new Map()));
    let demand = demands.get(handler);
    if (!demand) {
      demand = readAccessRequirements(handler, controller, isOAuthGuard);
      demand.isEventStream = Boolean(Reflect.getMetadata(SSE_METADATA, handler));
      demands.set(handler, demand);
    }
    return demand;
  }
}

/** Where `@Sse()` leaves its mark. */
const SSE_METADATA = '__sse__';
const NO_MODULE =
  'OAuthGuard finds no OAuth2Server in the module of its controller: import there a module that exports OAuth2Module, or register OAuth2Module with `isGlobal: true`';

const NO_SERVER =
  'OAuthGuard finds no server without a name: say by @UseOAuth() on the method or its controller which one it is to ask';

/** As `@UseGuards()` takes it: a class, or an instance. */
export function isOAuthGuard(guard: unknown): boolean {
  if (guard === OAuthGuard || guard instanceof OAuthGuard) return true;
  return typeof guard === 'function' && guard.prototype instanceof OAuthGuard;
}
