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
import { isDocument } from '../lib/adapter/index.js';
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

/** Where `@nestjs/swagger` leaves the mark of its `@ApiExcludeController()`. */
const HIDDEN_METADATA = 'swagger/apiExcludeController';

/**
 * The endpoints. They take the native request and answer through the native reply, so that no pipe, interceptor or
 * filter of the host can bend an OAuth answer; every method arrives, so that a wrong one gets one too. The pages of an
 * API's description leave them out: what they take and answer is in the RFCs.
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

/** What a route knows of its controller. */
interface Parts {
  readonly server: OAuth2Server;
  readonly interaction: InteractionFlow | undefined;
}

function addRoute(controller: object, endpoint: Endpoint, token: InjectionToken): void {
  const name = `${endpoint.name} endpoint`;
  function value(this: Parts, native: NativeRequest, reply: NativeReply): Promise<void> {
    const { events, context: facts } = this.server;
    const visit = { native, reply, endpoint, facts: { cors: facts?.options.cors, events } };
    const tenants = tenantServersOf(this.server);
    return runEndpoint(visit, (response) =>
      tenants ? serveTenant(tenants, endpoint, native, response) : serve(this, endpoint, native, response),
    );
  }
  // Guards of the host tell routes apart by it: a throttler counts each by its name.
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

/** The authorization endpoint is more to the module than to the engine: somebody is asked. */
async function authorize({ server, interaction }: Parts, native: NativeRequest, response: Response): Promise<unknown> {
  if (interaction) return interaction.handle(native, response);
  verifyUserIsAsked(server.options);
  return server.authorize(toOAuthRequest(native), response);
}

/** The engine would take an access token for the user's word, and give a code of any scope for it: nobody was asked. */
function verifyUserIsAsked({ authenticateHandler }: OAuth2Server['options']): void {
  if (authenticateHandler) return;
  throw new InvalidArgumentError(
    'Invalid argument: the authorization endpoint needs the option `interaction` or `authenticateHandler` to ask the user',
  );
}
