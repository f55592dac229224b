import {
  All,
  Controller,
  Inject,
  type InjectionToken,
  Req,
  Res,
  SetMetadata,
  type Type,
  UseFilters,
  VERSION_NEUTRAL,
} from '@nestjs/common';

import { isDocument } from '../lib/internal.js';
import { InvalidArgumentError, type OAuth2Server, type Response } from '../lib/index.js';
import { runEndpoint } from './http/run-endpoint.js';
import { Public } from './decorators/public.decorator.js';
import type { Endpoint } from './http/endpoint.js';
import { guardRefusals } from './http/guard-refusals.js';
import { type NativeRequest, toOAuthRequest } from './http/http-adapter.js';
import { InteractionFlow } from './interaction/interaction-flow.js';
import type { NativeReply } from './http/native-reply.js';
import type { OAuth2TenantServers } from './tenants/tenant-servers.js';
import { tenantServersOf } from './tenants/tenant-servers-of.js';

/** The metadata key of `@ApiExcludeController()` of `@nestjs/swagger`. */
const HIDDEN_METADATA = 'swagger/apiExcludeController';

/**
 * Returns the controller of the endpoints. It reads the native request and writes the native reply, so that pipes,
 * interceptors and filters of the application cannot change OAuth responses. Its routes handle all methods, so that a
 * wrong method also gets an OAuth error. It is hidden from `@nestjs/swagger`.
 */
export function createController(endpoints: readonly Endpoint[], token: InjectionToken): Type<unknown> {
  @Public()
  @SetMetadata(HIDDEN_METADATA, [true])
  @Controller({ version: VERSION_NEUTRAL })
  class OAuth2Controller {
    constructor(
      @Inject(token) readonly server: OAuth2Server,
      @Inject(InteractionFlow) readonly interaction: InteractionFlow | undefined,
    ) {}
  }
  for (const endpoint of endpoints.filter((one) => !isDocument(one)))
    addRoute(OAuth2Controller.prototype, endpoint, token);
  return OAuth2Controller;
}

/** The members of the controller that its routes use. */
interface Parts {
  readonly server: OAuth2Server;
  readonly interaction: InteractionFlow | undefined;
}

function addRoute(controller: object, endpoint: Endpoint, token: InjectionToken): void {
  const name = `${endpoint.name} endpoint`;
  function value(this: Parts, native: NativeRequest, reply: NativeReply): Promise<void> {
    const { events, context } = this.server;
    const request = { native, reply, endpoint, settings: { cors: context?.options.cors, events } };
    const tenants = tenantServersOf(this.server);
    return runEndpoint(request, (response) =>
      tenants ? serveTenant(tenants, endpoint, native, response) : serve(this, endpoint, native, response),
    );
  }
  // Guards of the application identify routes by this name; a throttler counts requests by it.
  Object.defineProperty(value, 'name', { value: endpoint.name });
  Object.defineProperty(controller, name, { value, configurable: true, writable: true });
  const descriptor = Object.getOwnPropertyDescriptor(controller, name)!;
  Req()(controller, name, 0);
  Res()(controller, name, 1);
  UseFilters(guardRefusals(endpoint, token))(controller, name, descriptor);
  All(endpoint.path)(controller, name, descriptor);
}

async function serveTenant(
  tenants: OAuth2TenantServers,
  endpoint: Endpoint,
  native: NativeRequest,
  response: Response,
) {
  return serve(await tenants.findParts(toOAuthRequest(native)), endpoint, native, response);
}

function serve(parts: Parts, { name }: Endpoint, native: NativeRequest, response: Response): Promise<unknown> {
  if (name === 'authorize') return authorize(parts, native, response);
  return parts.server.handle(name, toOAuthRequest(native), response);
}

/** Handles an authorization request through the interaction or, without one, through `authenticateHandler`. */
async function authorize({ server, interaction }: Parts, native: NativeRequest, response: Response): Promise<unknown> {
  if (interaction) return interaction.handle(native, response);
  verifyUserIsAuthenticated(server.options);
  return server.authorize(toOAuthRequest(native), response);
}

/**
 * Verifies that the user is authenticated by the application. Without this, the engine would accept an access token as
 * authentication of the user and issue a code for any scope.
 * @throws {InvalidArgumentError} If no `authenticateHandler` is set.
 */
function verifyUserIsAuthenticated({ authenticateHandler }: OAuth2Server['options']): void {
  if (authenticateHandler) return;
  throw new InvalidArgumentError(
    'Invalid argument: the authorization endpoint cannot sign users in: add `pages()` to `features`, or set `interaction` or `authenticateHandler`',
  );
}
