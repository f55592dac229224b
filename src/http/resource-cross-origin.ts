import type { HttpServer } from '@nestjs/common';
import {
  allowOrigin,
  respondToPreflight,
  isPreflight,
  type OwnResources,
  requestPath,
} from '../../lib/adapter/index.js';
import { type CorsOptions, Response } from '../../lib/index.js';
import type { FindEndpoint } from './endpoint.js';
import { type NativeRequest, sendOAuthResponse, toOAuthRequest } from './http-adapter.js';
import { copyHeaders, type NativeReply, removeHeaders } from './native-reply.js';

type Middleware = (native: NativeRequest, reply: NativeReply, next: () => void) => void;

/** What methods a resource has, nobody here knows. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Where pages of other origins may call. */
interface ResourceCors {
  cors: CorsOptions;
  resources: OwnResources;
  /** The endpoints have their own say. */
  findEndpoint: FindEndpoint;
}

/**
 * Lets pages of other origins call the protected resources, and read why they are refused: by the platform itself, since a
 * preflight comes without a token, and to no route. Where the host's `enableCors()` has answered, that is it. Fetch §3.2
 */
export function enableResourceCors(adapter: HttpServer, { cors, resources, findEndpoint }: ResourceCors): void {
  const open: Middleware = (native, reply, next) => {
    const request = toOAuthRequest(native);
    const isMeant = 'origin' in native.headers && resources.find(requestPath(request)) !== undefined;
    if (!isMeant || findEndpoint(native.originalUrl ?? native.url ?? '')) return next();
    const response = new Response();
    if (isPreflight(native)) {
      respondToPreflight(request, response, METHODS, cors);
      const asked = native.headers['access-control-request-headers'];
      if (asked && response.headers['access-control-allow-headers']) {
        response.headers['access-control-allow-headers'] = String(asked);
      }
      return sendOAuthResponse(response, reply);
    }
    allowOrigin(request, response, cors);
    if (response.headers['access-control-allow-origin'] !== undefined) {
      // What the host said of another origin, that it may send its cookies say, must not stand beside this one.
      removeHeaders(reply, 'access-control-');
      response.headers['access-control-expose-headers'] += ', *';
    }
    copyHeaders(response, reply);
    // For a handler that writes on the response itself, as MCP servers do: Fastify says what is on its reply on its own answers.
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
