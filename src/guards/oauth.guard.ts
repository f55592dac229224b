import { type CanActivate, type ExecutionContext, Inject, Injectable, Optional, type Type } from '@nestjs/common';
import { toOAuthError } from '../../lib/errors.js';
import {
  InsufficientScopeError,
  InvalidArgumentError,
  isClientItself,
  OAuth2Server,
  type OAuthError,
  type Request,
  Response,
  type Token,
} from '../../lib/index.js';
import { refuse, reportAccessRefusal } from '../../lib/resource/refusal.js';
import { verify } from '../configuration/verify.js';
import { logFault } from '../fault-log.js';
import { toOAuthRequest } from '../http-adapter.js';
import { copyHeaders } from '../native-reply.js';
import { OAUTH2_REGISTRATION } from '../oauth2.tokens.js';
import { type Demand, readDemand } from './demand.js';
import { httpOf } from './execution-context.js';
import { toHttpException } from './http-exception.js';

/**
 * Lets requests pass that carry a good access token with the scopes of the route. Of `@Scopes()`, `@Public()` and
 * `@UseGuards(OAuthGuard)` on a method, its controller and what that one extends the nearest counts. RFC 6750
 */
@Injectable()
export class OAuthGuard implements CanActivate {
  /** Found once per route: by controller, since an inherited method belongs to several. */
  private readonly demands = new WeakMap<Type, Map<unknown, Demand>>();

  private readonly server: OAuth2Server;

  /** @param registration shows that the module is there, though its server may have failed, which is said elsewhere */
  constructor(
    @Optional() @Inject(OAuth2Server) server: OAuth2Server,
    @Optional() @Inject(OAUTH2_REGISTRATION) registration?: object,
  ) {
    verify(server !== undefined || registration !== undefined, NO_MODULE);
    this.server = server;
    if (server) verifyModel(server);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const demand = this.findDemand(context);
    if (demand.nothing) return true;
    const { request, reply } = httpOf(context);
    const response = new Response();
    request.oauth2 = undefined;
    try {
      const asked = toOAuthRequest(request);
      const token = await this.server.authenticate(asked, response, demand.options);
      if (demand.user && isClientItself(token.user)) throw this.refuse({ request: asked, response }, token, demand);
      request.oauth2 = { token };
      return true;
    } catch (error) {
      const failure = toOAuthError(error);
      logFault(failure);
      throw toHttpException(failure, error);
    } finally {
      if (reply) copyHeaders(response, reply);
    }
  }

  private refuse({ request, response }: Visit, token: Token, { options }: Demand): OAuthError {
    const detail = { rule: 'a user stands behind the token', given: 'a client that acts for itself' };
    const error = new InsufficientScopeError(NO_USER).because(detail);
    reportAccessRefusal(this.server.events, error, { token, required: options?.scope });
    return refuse(response, error, { request, options: this.server.facts?.options, server: this.server.facts });
  }

  private findDemand(context: ExecutionContext): Demand {
    const controller = context.getClass();
    const handler = context.getHandler();
    let demands = this.demands.get(controller);
    if (!demands) this.demands.set(controller, (demands = new Map()));
    let demand = demands.get(handler);
    if (!demand) demands.set(handler, (demand = readDemand(handler, controller, isOAuthGuard)));
    return demand;
  }
}

interface Visit {
  request: Request;
  response: Response;
}

const NO_MODULE =
  'OAuthGuard finds no OAuth2Server in the module of its controller: import there a module that exports OAuth2Module, or register OAuth2Module with `isGlobal: true`';
const NO_USER = 'Insufficient scope: the client acts for itself, and a user is required';

/** As `@UseGuards()` takes it: a class, or an instance. */
function isOAuthGuard(guard: unknown): boolean {
  if (guard === OAuthGuard || guard instanceof OAuthGuard) return true;
  return typeof guard === 'function' && guard.prototype instanceof OAuthGuard;
}

/** A stand-in for the server, as tests have it, brings no model to check. */
function verifyModel({ options }: { options?: OAuth2Server['options'] }): void {
  if (!options || typeof options.model.getAccessToken === 'function') return;
  throw new InvalidArgumentError(
    'Invalid argument: OAuthGuard needs the model method `getAccessToken()`: implement it to find the token of a request',
  );
}
