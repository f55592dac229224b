import type { IncomingHttpHeaders } from 'node:http';
import { answerError } from '../../lib/endpoints/operation.js';
import { type OAuthError, Request, Response } from '../../lib/index.js';
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
  const body = bodyText(response);
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

/** The answer to a request that never came as far as the engine. RFC 6749 §5.2 */
export function refusal(error: OAuthError): Response {
  const response = new Response({ headers: { pragma: 'no-cache' } });
  answerError(response, error);
  return response;
}

/** A page as it is, an object as JSON, nothing beside a redirect or a 204: no serializer of the host has a say in it. */
function bodyText(response: Response): string | undefined {
  if (response.get('location') !== undefined || response.status === 204) return undefined;
  if (typeof response.body === 'string') return response.body;
  response.set('content-type', 'application/json; charset=utf-8');
  return JSON.stringify(response.body);
}
