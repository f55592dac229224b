import { type CanActivate, type ExecutionContext, Inject, Injectable, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { toOAuthError } from '../../lib/errors.js';
import { InvalidArgumentError, OAuth2Server, Response } from '../../lib/index.js';
import { PUBLIC_METADATA } from '../decorators/public.decorator.js';
import { SCOPES_METADATA, verifyScopes } from '../decorators/scopes.decorator.js';
import { logFault } from '../fault-log.js';
import { copyHeaders, toOAuthRequest } from '../http-adapter.js';
import { httpOf } from './execution-context.js';
import { toHttpException } from './http-exception.js';

/** What a route asks of a request; no options: any good token. */
type Demand = 'nothing' | { options?: Readonly<{ scope: string }> };

/**
 * Lets requests pass that carry a good access token with the scopes of the route. Of `@Scopes()` and `@Public()` on a
 * method and on its controller the nearest counts. RFC 6750
 */
@Injectable()
export class OAuthGuard implements CanActivate {
  /** Found once per route: by controller, since an inherited method belongs to several. */
  private readonly demands = new WeakMap<Type, Map<unknown, Demand>>();

  constructor(
    @Inject(OAuth2Server) private readonly server: OAuth2Server,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {
    verifyModel(server);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const demand = this.findDemand(context);
    if (demand === 'nothing') return true;
    const { request, reply } = httpOf(context);
    const response = new Response();
    try {
      const token = await this.server.authenticate(toOAuthRequest(request), response, demand.options);
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

  private findDemand(context: ExecutionContext): Demand {
    const controller = context.getClass();
    const handler = context.getHandler();
    let demands = this.demands.get(controller);
    if (!demands) this.demands.set(controller, (demands = new Map()));
    let demand = demands.get(handler);
    if (!demand) demands.set(handler, (demand = this.readDemand(handler, controller)));
    return demand;
  }

  private readDemand(...targets: Parameters<Reflector['get']>[1][]): Demand {
    for (const target of targets) {
      const scope = this.reflector.get<string[] | undefined>(SCOPES_METADATA, target);
      if (scope) return demandOf(scope);
      if (this.reflector.get<boolean | undefined>(PUBLIC_METADATA, target)) return 'nothing';
    }
    return {};
  }
}

/** Checked again: a host may have set the metadata by itself. */
function demandOf(scopes: readonly string[]): Demand {
  verifyScopes(scopes);
  return scopes.length > 0 ? { options: Object.freeze({ scope: scopes.join(' ') }) } : {};
}

/** A stand-in for the server, as tests have it, brings no model to check. */
function verifyModel({ options }: { options?: OAuth2Server['options'] }): void {
  if (!options || typeof options.model.getAccessToken === 'function') return;
  throw new InvalidArgumentError(
    'Invalid argument: OAuthGuard needs the model method `getAccessToken()`: implement it to find the token of a request',
  );
}
