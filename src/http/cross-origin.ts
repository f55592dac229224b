import { addCorsHeaders } from '../../lib/adapter/index.js';
import type { CorsOptions, EventSink, Response } from '../../lib/index.js';
import type { Endpoint } from './endpoint.js';
import { type NativeRequest, sendOAuthResponse } from './http-adapter.js';
import { type NativeReply, removeHeaders } from './native-reply.js';

/** A request at an endpoint, and its reply. */
export interface EndpointRequest {
  native: NativeRequest;
  reply: NativeReply;
  endpoint: Endpoint;
  facts: EndpointSettings;
}

/** Who may read an answer, and who hears of a refusal. */
export interface EndpointSettings {
  readonly cors: CorsOptions | undefined;
  readonly events: EventSink | undefined;
}

/** Adds the CORS headers of the endpoint to a response that `handleEndpoint()` has not written, and sends it. */
export function sendWithCorsHeaders(request: EndpointRequest, response: Response): void {
  addCorsHeaders(request.native, response, { endpoint: request.endpoint, cors: request.facts.cors });
  sendEndpointResponse(request, response);
}

/**
 * Sends the response of an endpoint, which has its CORS headers. Those that the application's `enableCors()` has set are removed if no
 * other origin may read the response, and if the option `cors` decides which origins may. RFC 9700 §2.6
 */
export function sendEndpointResponse(
  { reply, endpoint, facts: { cors } }: Omit<EndpointRequest, 'native'>,
  response: Response,
): void {
  if (overridesApplicationCors(endpoint, cors)) removeHeaders(reply, 'access-control-');
  sendOAuthResponse(response, reply);
}

/** Has the host's `enableCors()` no say there? */
export const overridesApplicationCors = ({ cors }: Endpoint, configured: CorsOptions | undefined): boolean =>
  cors !== true || configured !== undefined;
