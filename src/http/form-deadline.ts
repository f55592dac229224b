import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import { createErrorResponse, reportEndpointRefusal } from '../../lib/internal.js';
import { InvalidRequestError } from '../../lib/index.js';
import { sendWithCorsHeaders, type EndpointSettings } from './cross-origin.js';
import type { FindEndpoint } from './endpoint.js';
import type { NativeRequest } from './http-adapter.js';

/** Milliseconds in which a form must be received. Fastify has no limit by default, and Node waits five minutes. */
const DEADLINE = 10_000;

/**
 * Rejects forms that arrive too slowly, and closes their connection. It listens to the HTTP server itself, because a
 * body parser of the application may read the form before a route is found. RFC 9110 §15.5.9
 */
export function setFormDeadline(server: Server, findEndpoint: FindEndpoint, settings: EndpointSettings): void {
  server.prependListener('request', (native: IncomingMessage, reply: ServerResponse) => {
    // This applies to every method, because bodies are read before the method is verified.
    if (!hasBody(native)) return;
    const endpoint = findEndpoint(native.url ?? '');
    if (!endpoint) return;
    const timer = setTimeout(() => {
      if (native.complete || reply.headersSent) return;
      const failure = new InvalidRequestError('Invalid request: content was not received in time', { code: 408 });
      reportEndpointRefusal(settings.events, { endpoint: endpoint.name }, failure);
      const response = createErrorResponse(failure);
      if (native.httpVersionMajor < 2) response.set('connection', 'close');
      sendWithCorsHeaders({ native: native as NativeRequest & IncomingMessage, reply, endpoint, settings }, response);
    }, DEADLINE);
    reply.once('close', () => clearTimeout(timer));
  });
}

/** Whether a request has content. In HTTP/1.1 its headers show that; in HTTP/2 it is assumed. RFC 9112 §6.3 */
const hasBody = ({ headers, httpVersionMajor }: IncomingMessage) =>
  httpVersionMajor > 1 || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
