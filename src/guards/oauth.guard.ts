import { type CanActivate, type ExecutionContext, Inject, Injectable, type Type } from '@nestjs/common';
import { toOAuthError } from '../../lib/errors.js';
import {
  InsufficientScopeError,
  InvalidArgumentError,
  isClientItself,
  OAuth2Server,
  type OAuthError,
  Response,
  type Token,
} from '../../lib/index.js';
import { refuse, reportAccessRefusal } from '../../lib/resource/refusal.js';
import { logFault } from '../fault-log.js';
import { copyHeaders, toOAuthRequest } from '../http-adapter.js';
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

  constructor(@Inject(OAuth2Server) private readonly server: OAuth2Server) {
    verifyModel(server);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const demand = this.findDemand(context);
    if (demand.nothing) return true;
    const { request, reply } = httpOf(context);
    const response = new Response();
    try {
      const token = await this.server.authenticate(toOAuthRequest(request), response, demand.options);
      if (demand.user && isClientItself(token.user)) throw this.refuse(response, token, demand);
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

  private refuse(response: Response, token: Token, { options }: Demand): OAuthError {
    const detail = { rule: 'a user stands behind the token', given: 'a client that acts for itself' };
    const error = new InsufficientScopeError(NO_USER).because(detail);
    reportAccessRefusal(this.server.events, error, { token, required: options?.scope });
    return refuse(response, error);
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
