import { addCorsHeaders } from '../../lib/internal.js';
import type { CorsOptions, EventSink, Response } from '../../lib/index.js';
import type { Endpoint } from './endpoint.js';
import { type NativeRequest, sendOAuthResponse } from './http-adapter.js';
import { type NativeReply, removeHeaders } from './native-reply.js';

/** A request to an endpoint, with its reply and the settings of the server. */
export interface EndpointRequest {
  native: NativeRequest;
  reply: NativeReply;
  endpoint: Endpoint;
  settings: EndpointSettings;
}

/** The settings that all endpoints of a server use: the option `cors`, and the receiver of events. */
export interface EndpointSettings {
  readonly cors: CorsOptions | undefined;
  readonly events: EventSink | undefined;
}

/** Adds the CORS headers to a response that was not made by `handleEndpoint()`, and sends it. */
export function sendWithCorsHeaders(request: EndpointRequest, response: Response): void {
  addCorsHeaders(request.native, response, { endpoint: request.endpoint, cors: request.settings.cors });
  sendEndpointResponse(request, response);
}

/**
 * Sends the response of an endpoint. Keeps the CORS headers of the application's `enableCors()` only if the endpoint
 * allows the origins of the option `cors`, and that option is not set. RFC 9700 §2.6
 */
export function sendEndpointResponse(
  { reply, endpoint, settings: { cors } }: Omit<EndpointRequest, 'native'>,
  response: Response,
): void {
  if (overridesApplicationCors(endpoint, cors)) removeHeaders(reply, 'access-control-');
  sendOAuthResponse(response, reply);
}

/** Whether the CORS headers of an endpoint replace those of the application's `enableCors()`. */
export const overridesApplicationCors = ({ cors }: Endpoint, configured: CorsOptions | undefined): boolean =>
  cors !== true || configured !== undefined;

/** A layer of the router of Express 5. The middleware of `enableCors()` has the name `corsMiddleware`. */
interface Layer {
  readonly name: string;
  handle: (native: NativeRequest, reply: NativeReply, next: () => void) => unknown;
}

/**
 * Makes the `enableCors()` of an Express application leave the preflight requests that `isOwn` selects to this library.
 * Otherwise it answers them before any route, with the origins of the application.
 */
export function keepPreflights(layers: readonly Layer[], isOwn: (native: NativeRequest) => boolean): void {
  for (const layer of layers.filter(({ name }) => name === 'corsMiddleware')) {
    const enabled = layer.handle;
    layer.handle = (native, reply, next) => (isOwn(native) ? next() : enabled(native, reply, next));
  }
}
