import type { HttpServer } from '@nestjs/common';

import { allowOrigin, respondToPreflight, isPreflight, type OwnResources, requestPath } from '../../lib/internal.js';
import { type CorsOptions, type Request, Response } from '../../lib/index.js';
import { keepPreflights } from './cross-origin.js';
import type { FindEndpoint } from './endpoint.js';
import { type NativeRequest, sendOAuthResponse, toOAuthRequest } from './http-adapter.js';
import { copyHeaders, type NativeReply, removeHeaders } from './native-reply.js';

type Middleware = (native: NativeRequest, reply: NativeReply, next: () => void) => void;

interface Express {
  readonly router?: { readonly stack?: Parameters<typeof keepPreflights>[0] };
  use(handler: Middleware): void;
}

interface Fastify {
  addHook(name: 'onRequest', hook: Middleware): void;
  addHook(
    name: 'onSend',
    hook: (native: NativeRequest, reply: NativeReply, payload: unknown, done: () => void) => void,
  ): void;
}

/** The allowed methods in a preflight response. The methods of a resource are not known here. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The server's option `cors`, which lists allowed origins, and the protected resources that pages of these origins may
 * call.
 */
interface ResourceCors {
  cors: CorsOptions;
  resources: OwnResources;
  /** Finds endpoints, which have their own CORS settings. */
  findEndpoint: FindEndpoint;
}

/**
 * Allows pages of other origins to call the protected resources and to read refusals. Registered on Express or Fastify,
 * because a preflight request has no token and no route. For these origins, the headers replace those of the
 * application's `enableCors()`, which applies to all other origins. Fetch §3.2
 */
export function enableResourceCors(adapter: HttpServer, { cors, resources, findEndpoint }: ResourceCors): void {
  const resourceRequestOf = (native: NativeRequest): Request | undefined => {
    if (!('origin' in native.headers)) return undefined;
    const request = toOAuthRequest(native);
    const isForResource =
      resources.find(requestPath(request)) !== undefined && !findEndpoint(native.originalUrl ?? native.url ?? '');
    return isForResource ? request : undefined;
  };
  const preflightResponse = (native: NativeRequest): Response | undefined => {
    const request = isPreflight(native) ? resourceRequestOf(native) : undefined;
    if (!request) return undefined;
    const response = new Response();
    respondToPreflight(request, response, METHODS, cors);
    const requestedHeaders = native.headers['access-control-request-headers'];
    if (requestedHeaders && isAllowed(response)) {
      response.headers['access-control-allow-headers'] = String(requestedHeaders);
    }
    return response;
  };
  const open: Middleware = (native, reply, next) => {
    const preflight = preflightResponse(native);
    if (preflight) return sendOAuthResponse(preflight, reply);
    const request = resourceRequestOf(native);
    if (!request) return next();
    const response = new Response();
    allowOrigin(request, response, cors);
    if (isAllowed(response)) {
      // Headers that the application has set for another origin must not be combined with these.
      removeHeaders(reply, 'access-control-');
      response.headers['access-control-expose-headers'] += ', *';
    }
    copyHeaders(response, reply);
    // For handlers that write to the raw response, such as MCP servers: Fastify adds the headers of its reply only to
    // its own responses.
    const { raw } = reply as { raw?: Extract<NativeReply, { setHeader: unknown }> };
    if (raw) copyHeaders(response, raw);
    next();
  };
  const type = adapter.getType?.();
  if (type === 'express') {
    const express = adapter.getInstance() as Express;
    keepPreflights(express.router?.stack ?? [], (native) => isAllowed(preflightResponse(native)));
    express.use(open);
  }
  if (type !== 'fastify') return;
  const fastify = adapter.getInstance() as Fastify;
  fastify.addHook('onRequest', open);
  // The hook of `enableCors()` runs first, and has answered the preflight request.
  fastify.addHook('onSend', (native, reply, _payload, done) => {
    const response = preflightResponse(native);
    if (response && isAllowed(response)) {
      removeHeaders(reply, 'access-control-');
      copyHeaders(response, reply);
    }
    done();
  });
}

/** Whether a response allows the origin of its request. */
const isAllowed = (response: Response | undefined) => response?.headers['access-control-allow-origin'] !== undefined;
