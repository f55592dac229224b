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

/**
 * Sends an answer of an endpoint with CORS headers of its own: what the host's `enableCors()` has put on the reply is
 * taken back where no other origin may read, and where the option `cors` says more closely who may. RFC 9700 §2.6
 */
export function sendAnswer({ native, reply, endpoint, facts: { cors } }: Visit, response: Response): void {
  if (isOwn(endpoint, cors)) removeHeaders(reply, 'access-control-');
  addCorsHeaders(native, response, { endpoint, cors });
  sendOAuthResponse(response, reply);
}

/** Has the host's `enableCors()` no say there? */
export const isOwn = ({ cors }: Endpoint, configured: CorsOptions | undefined): boolean =>
  cors !== true || configured !== undefined;
