import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';
import type { NativeReply } from '../../http/native-reply.js';
import { toHttpException } from '../http-exception.js';
import type { GuardedRequest, OpenStream, Transport } from './transport.js';

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<GuardedRequest>();

/** Requests of Express and Fastify; an event stream ends when its token does. RFC 6750 */
export const http: Transport = {
  readRequest: requestOf,
  findAttachedToken: requestOf,
  findReply: (context) => context.switchToHttp().getResponse<NativeReply>(),
  toException: (failure, { cause }) => toHttpException(failure, cause),
  findStream(context, { isEventStream: stream }) {
    // What a handler answers by itself, as MCP servers do, may be a stream where the client takes one.
    if (!stream && !requestOf(context).headers.accept?.includes(EVENT_STREAM)) return undefined;
    const reply = context.switchToHttp().getResponse<ServerResponse & { raw?: ServerResponse }>();
    return eventStream(reply.raw ?? reply, !stream);
  },
};

const EVENT_STREAM = 'text/event-stream';

/** @param isLoose may it be an ordinary answer? That is left to come to its end. */
function eventStream(response: ServerResponse, isLoose: boolean): OpenStream {
  let source: Readable | undefined;
  if (isLoose) rememberHeaders(response);
  response.once('pipe', (piped: Readable) => (source = piped));
  return {
    key: response,
    onClosed: (callback) => void response.once('close', callback),
    close() {
      if (isLoose && !String(response.getHeader('content-type')).startsWith(EVENT_STREAM)) return;
      // What the handler sends meanwhile must not be written after the end.
      source?.unpipe(response);
      const { socket } = response;
      // Nest lets go of the handler when the socket closes, which would be kept alive. HTTP/2 closes streams.
      response.end(() => (response.req.httpVersionMajor === 1 ? socket?.destroySoon() : undefined));
    },
  };
}

/** Those that somebody gives to `writeHead()` could not be read afterwards if there had been none before. */
function rememberHeaders(response: ServerResponse): void {
  if (response.headersSent || response.getHeaderNames().length > 0) return;
  response.setHeader('x-guarded', '');
  response.removeHeader('x-guarded');
}
