import { addCorsHeaders } from '../../lib/adapter/index.js';
import type { CorsOptions, EventSink, Response } from '../../lib/index.js';
import type { Endpoint } from './endpoint.js';
import { type NativeRequest, sendOAuthResponse } from './http-adapter.js';
import { type NativeReply, removeHeaders } from './native-reply.js';

/** A request at an endpoint, and its reply. */
export interface Visit {
  native: NativeRequest;
  reply: NativeReply;
  endpoint: Endpoint;
  facts: AnswerFacts;
}

/** Who may read an answer, and who hears of a refusal. */
export interface AnswerFacts {
  readonly cors: CorsOptions | undefined;
  readonly events: EventSink | undefined;
}

/** Adds the CORS headers of the endpoint to a response that `handleEndpoint()` has not written, and sends it. */
export function sendAnswer(visit: Visit, response: Response): void {
  addCorsHeaders(visit.native, response, { endpoint: visit.endpoint, cors: visit.facts.cors });
  sendHandled(visit, response);
}

/**
 * Sends the response of an endpoint, which has its CORS headers. Those that the application's `enableCors()` has set are removed if no
 * other origin may read the response, and if the option `cors` decides which origins may. RFC 9700 §2.6
 */
export function sendHandled({ reply, endpoint, facts: { cors } }: Omit<Visit, 'native'>, response: Response): void {
  if (isOwn(endpoint, cors)) removeHeaders(reply, 'access-control-');
  sendOAuthResponse(response, reply);
}

/** Has the host's `enableCors()` no say there? */
export const isOwn = ({ cors }: Endpoint, configured: CorsOptions | undefined): boolean =>
  cors !== true || configured !== undefined;
