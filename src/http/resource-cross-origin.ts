import type { HttpServer } from '@nestjs/common';

import { allowOrigin, respondToPreflight, isPreflight, type OwnResources, requestPath } from '../../lib/internal.js';
import { type CorsOptions, Response } from '../../lib/index.js';
import type { FindEndpoint } from './endpoint.js';
import { type NativeRequest, sendOAuthResponse, toOAuthRequest } from './http-adapter.js';
import { copyHeaders, type NativeReply, removeHeaders } from './native-reply.js';

type Middleware = (native: NativeRequest, reply: NativeReply, next: () => void) => void;

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
 * because a preflight request has no token and no route. If the application's `enableCors()` has answered a request,
 * this does nothing. Fetch §3.2
 */
export function enableResourceCors(adapter: HttpServer, { cors, resources, findEndpoint }: ResourceCors): void {
  const open: Middleware = (native, reply, next) => {
    const request = toOAuthRequest(native);
    const isResourceRequest = 'origin' in native.headers && resources.find(requestPath(request)) !== undefined;
    if (!isResourceRequest || findEndpoint(native.originalUrl ?? native.url ?? '')) return next();
    const response = new Response();
    if (isPreflight(native)) {
      respondToPreflight(request, response, METHODS, cors);
      const requestedHeaders = native.headers['access-control-request-headers'];
      if (requestedHeaders && response.headers['access-control-allow-headers']) {
        response.headers['access-control-allow-headers'] = String(requestedHeaders);
      }
      return sendOAuthResponse(response, reply);
    }
    allowOrigin(request, response, cors);
    if (response.headers['access-control-allow-origin'] !== undefined) {
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
  const platform: unknown = adapter.getInstance();
  const type = adapter.getType?.();
  if (type === 'express') (platform as { use(handler: Middleware): void }).use(open);
  if (type === 'fastify')
    (platform as { addHook(name: 'onRequest', hook: Middleware): void }).addHook('onRequest', open);
}
