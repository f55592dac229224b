import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';
import type { NativeReply } from '../../http/native-reply.js';
import { toHttpException } from '../http-exception.js';
import type { GuardedRequest, OpenStream, Transport } from './transport.js';

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<GuardedRequest>();

/** HTTP requests of Express and Fastify. An event stream is closed when its token expires or is revoked. RFC 6750 */
export const http: Transport = {
  readRequest: requestOf,
  findAttachedToken: requestOf,
  findReply: (context) => context.switchToHttp().getResponse<NativeReply>(),
  toException: (failure, { cause }) => toHttpException(failure, cause),
  findStream(context, { isEventStream: stream }) {
    // A handler that writes the response itself, such as an MCP server, may send a stream if the client accepts one.
    if (!stream && !requestOf(context).headers.accept?.includes(EVENT_STREAM)) return undefined;
    const reply = context.switchToHttp().getResponse<ServerResponse & { raw?: ServerResponse }>();
    return eventStream(reply.raw ?? reply, !stream);
  },
};

const EVENT_STREAM = 'text/event-stream';

/**
 * Returns the open stream of a response.
 * @param isLoose whether the response may also be an ordinary one, which is not closed
 */
function eventStream(response: ServerResponse, isLoose: boolean): OpenStream {
  let source: Readable | undefined;
  if (isLoose) rememberHeaders(response);
  response.once('pipe', (piped: Readable) => (source = piped));
  return {
    key: response,
    // A response of HTTP/2 has no property `closed`, and a request of a serverless platform may have no socket.
    isClosed: response.closed || response.req.socket?.destroyed,
    onClosed: (callback) => void response.once('close', callback),
    close() {
      if (isLoose && !String(response.getHeader('content-type')).startsWith(EVENT_STREAM)) return;
      // Prevent the handler from writing after the end.
      source?.unpipe(response);
      const { socket } = response;
      // Nest stops the handler when the socket closes, so destroy the keep-alive socket. HTTP/2 closes the stream.
      response.end(() => (response.req.httpVersionMajor === 1 ? socket?.destroySoon() : undefined));
    },
  };
}

/**
 * Sets and removes a header. Without this, Node would not store the headers that a handler passes to `writeHead()`, and
 * they could not be read later.
 */
function rememberHeaders(response: ServerResponse): void {
  if (response.headersSent || response.getHeaderNames().length > 0) return;
  response.setHeader('x-guarded', '');
  response.removeHeader('x-guarded');
}
