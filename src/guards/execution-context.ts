import type { ExecutionContext } from '@nestjs/common';
import { InvalidArgumentError, type Token } from '../../lib/index.js';
import type { NativeRequest } from '../http-adapter.js';
import type { NativeReply } from '../native-reply.js';
import { readDemand } from './demand.js';

/** The native request, with what `OAuthGuard` leaves on it. */
export interface GuardedRequest extends NativeRequest {
  /** There, if undefined, once the guard has looked at the request. */
  oauth2?: { token: Token } | undefined;
}

interface GraphQLContext {
  req?: GuardedRequest;
  res?: NativeReply;
  reply?: NativeReply & { request?: GuardedRequest };
}

/** The HTTP request behind a handler and its reply; a GraphQL resolver has them in its context. */
export function httpOf(context: ExecutionContext): { request: GuardedRequest; reply?: NativeReply } {
  const type = context.getType<string>();
  if (type === 'http') {
    const http = context.switchToHttp();
    return { request: http.getRequest<GuardedRequest>(), reply: http.getResponse<NativeReply>() };
  }
  const { req, res, reply } = (type === 'graphql' && context.getArgByIndex<GraphQLContext | undefined>(2)) || {};
  const request = req ?? reply?.request;
  if (!request)
    throw new InvalidArgumentError(`Invalid argument: OAuthGuard reads HTTP requests, and here is a ${type} one`);
  return { request, reply: res ?? reply };
}

/**
 * The token that the guard found, for a decorator; undefined on a `@Public()` route.
 * @throws InvalidArgumentError where no guard has looked for one: nobody would be anybody there
 */
export function findToken(context: ExecutionContext, decorator: string): Token | undefined {
  const { request } = httpOf(context);
  const handler = context.getHandler();
  if (request.oauth2 || 'oauth2' in request || readDemand(handler, context.getClass(), () => false).nothing) {
    return request.oauth2?.token;
  }
  const route = `${context.getClass().name}.${handler.name}()`;
  const remedy =
    'put `@UseGuards(OAuthGuard)` on the method or its controller, or `@Public()` where nobody need sign in';
  throw new InvalidArgumentError(
    `Invalid argument: ${decorator} of ${route} finds no token, for no guard has run: ${remedy}`,
  );
}
