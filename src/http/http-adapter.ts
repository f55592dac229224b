import type { IncomingHttpHeaders } from 'node:http';

import { serializeBody } from '../../lib/internal.js';
import { Request, type Response } from '../../lib/index.js';
import { copyHeaders, isFastify, type NativeReply } from './native-reply.js';

/** The members of an Express or Fastify request that the module reads. */
export interface NativeRequest {
  headers: IncomingHttpHeaders;
  method: string;
  url?: string;
  /** The URL before a router removed its prefix. */
  originalUrl?: string;
  query?: unknown;
  body?: unknown;
  session?: unknown;
  user?: unknown;
  /** The connection of the request, from which client certificates are read. */
  socket?: unknown;
  /**
   * The request that opened the connection of a WebSocket message. Its DPoP proof is accepted for all messages of the
   * connection.
   */
  handshake?: object;
}

/**
 * Returns the engine's request for a request of Express or Fastify. An `authenticateHandler` finds the native request
 * as `native`, and its `session` and `user` as members of the returned request.
 */
export function toOAuthRequest(native: NativeRequest): Request {
  const { headers, method, url, body, session, user } = native;
  // `query` of Express is a getter that parses the URL on each access, and most guarded requests have no query.
  const isGiven = Object.hasOwn(native, 'query') || typeof url !== 'string' || url.includes('?');
  const query = (isGiven ? native.query : undefined) ?? {};
  return new Request({ headers, method, query, body, native, session, user });
}

/** Sends the engine's response through the response of Express or the reply of Fastify. */
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
