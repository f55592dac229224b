import type { IncomingHttpHeaders } from 'node:http';
import { serializeBody } from '../../lib/adapter/index.js';
import { Request, type Response } from '../../lib/index.js';
import { copyHeaders, isFastify, type NativeReply } from './native-reply.js';

/** The request of Express or Fastify, as far as OAuth reads it. */
export interface NativeRequest {
  headers: IncomingHttpHeaders;
  method: string;
  url?: string;
  /** The URL before a router cut something off it. */
  originalUrl?: string;
  query?: unknown;
  body?: unknown;
  session?: unknown;
  user?: unknown;
  /** The connection it came over: certificates of clients are asked there. */
  socket?: unknown;
  /** Of a message: the request that opened its connection, which shows for all of them whatever that showed. */
  handshake?: object;
}

/**
 * Makes the engine's request of one of Express or Fastify. An `authenticateHandler` finds that one as `native`, and its
 * `session` and `user` where classic hosts look for them.
 */
export function toOAuthRequest(native: NativeRequest): Request {
  const { headers, method, url, body, session, user } = native;
  // The query of Express is a getter that parses the URL each time; most guarded requests have nothing there to parse.
  const isGiven = Object.hasOwn(native, 'query') || typeof url !== 'string' || url.includes('?');
  const query = (isGiven ? native.query : undefined) ?? {};
  return new Request({ headers, method, query, body, native, session, user });
}

/** Sends what the engine answered through the response of Express or the reply of Fastify. */
export function sendOAuthResponse(response: Response, reply: NativeReply): void {
  const { status } = response;
  const body = serializeBody(response);
  if (isFastify(reply)) {
    if (reply.sent) return;
    reply.code(status);
    copyHeaders(response, reply);
    reply.send(body);
  } else {
    if (reply.headersSent) return;
    reply.statusCode = status;
    copyHeaders(response, reply);
    reply.end(body);
  }
}
