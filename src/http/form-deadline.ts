import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createErrorResponse, reportEndpointRefusal } from '../../lib/adapter/index.js';
import { InvalidRequestError } from '../../lib/index.js';
import { sendWithCorsHeaders, type EndpointSettings } from './cross-origin.js';
import type { FindEndpoint } from './endpoint.js';
import type { NativeRequest } from './http-adapter.js';

/** Milliseconds in which a form must have come: Fastify waits without end otherwise, and Node for five minutes. */
const DEADLINE = 10_000;

/**
 * Refuses forms that trickle in, and closes their connection. It is the server itself that is listened to: a body
 * parser of the host may be reading long before any route is found. RFC 9110 §15.5.9
 */
export function setFormDeadline(server: Server, findEndpoint: FindEndpoint, settings: EndpointSettings): void {
  server.prependListener('request', (native: IncomingMessage, reply: ServerResponse) => {
    // Of any method: a body is read before anybody looks at that.
    if (!hasBody(native)) return;
    const endpoint = findEndpoint(native.url ?? '');
    if (!endpoint) return;
    const timer = setTimeout(() => {
      if (native.complete || reply.headersSent) return;
      const failure = new InvalidRequestError('Invalid request: content took too long', { code: 408 });
      reportEndpointRefusal(settings.events, { endpoint: endpoint.name }, failure);
      const response = createErrorResponse(failure);
      if (native.httpVersionMajor < 2) response.set('connection', 'close');
      sendWithCorsHeaders(
        { native: native as NativeRequest & IncomingMessage, reply, endpoint, facts: settings },
        response,
      );
    }, DEADLINE);
    reply.once('close', () => clearTimeout(timer));
  });
}

/** In HTTP/1.1 the head tells. RFC 9112 §6.3 */
const hasBody = ({ headers, httpVersionMajor }: IncomingMessage) =>
  httpVersionMajor > 1 || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
