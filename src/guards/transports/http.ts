import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';
import type { NativeReply } from '../../native-reply.js';
import { toHttpException } from '../http-exception.js';
import type { GuardedRequest, OpenStream, Transport } from './transport.js';

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<GuardedRequest>();

/** Requests of Express and Fastify; an event stream ends when its token does. RFC 6750 */
export const http: Transport = {
  readRequest: requestOf,
  findAttached: requestOf,
  findReply: (context) => context.switchToHttp().getResponse<NativeReply>(),
  toException: (failure, { cause }) => toHttpException(failure, cause),
  findStream(context, { stream }) {
    if (!stream) return undefined;
    const reply = context.switchToHttp().getResponse<ServerResponse & { raw?: ServerResponse }>();
    return eventStream(reply.raw ?? reply);
  },
};

function eventStream(response: ServerResponse): OpenStream {
  let source: Readable | undefined;
  response.once('pipe', (piped: Readable) => (source = piped));
  return {
    key: response,
    onClosed: (callback) => void response.once('close', callback),
    close() {
      // What the handler sends meanwhile must not be written after the end.
      source?.unpipe(response);
      const { socket } = response;
      // Nest lets go of the handler when the socket closes, which would be kept alive. HTTP/2 closes streams.
      response.end(() => (response.req.httpVersionMajor === 1 ? socket?.destroySoon() : undefined));
    },
  };
}
