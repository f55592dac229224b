import type { ExecutionContext } from '@nestjs/common';
import { InvalidArgumentError, type Token } from '../../lib/index.js';
import type { NativeReply, NativeRequest } from '../http-adapter.js';

/** The native request, with what `OAuthGuard` leaves on it. */
export interface GuardedRequest extends NativeRequest {
  oauth2?: { token: Token };
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

export const findToken = (context: ExecutionContext): Token | undefined => httpOf(context).request.oauth2?.token;
