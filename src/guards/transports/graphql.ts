import type { ExecutionContext } from '@nestjs/common';

import { errorMembers } from '../../../lib/internal.js';
import { InvalidArgumentError } from '../../../lib/index.js';
import type { NativeReply } from '../../http/native-reply.js';
import { toHttpException } from '../http-exception.js';
import { authorizationIn, handshakeRequest, type UpgradeRequest } from './handshake.js';
import { refusalPayload } from './refusal-payload.js';
import { CLOSED, closeSocket, type NativeSocket } from './socket.js';
import { attachedTokenOf, type GuardedRequest, type Transport } from './transport.js';

/** The value that graphql-ws passes to the `context` function. The Apollo driver passes it as the request. */
interface GraphQLSocket {
  connectionParams?: Record<string, unknown> | undefined;
  extra?: { request?: UpgradeRequest; socket?: NativeSocket };
}

/** The context of a resolver, as made by the Apollo driver, the Mercurius driver or the application. */
interface GraphQLContext extends GraphQLSocket {
  req?: GuardedRequest & GraphQLSocket;
  res?: NativeReply;
  reply?: NativeReply & { request?: GuardedRequest };
  request?: GuardedRequest & MercuriusRequest;
  /** The payload of `connection_init`. Set by Mercurius for WebSocket connections. */
  _connectionInit?: Record<string, unknown> | undefined;
}

interface MercuriusRequest {
  raw?: { socket?: object };
  server?: { websocketServer?: { clients: Set<NativeSocket & { _socket?: object }> } };
}

/** GraphQL resolvers, over HTTP and graphql-ws. RFC 6750 §2.1 */
export const graphql: Transport = {
  readRequest(context) {
    const socket = socketOf(context);
    if (!socket) return httpRequestOf(context);
    const { headers = {} } = socket.upgrade ?? {};
    return handshakeRequest(socket.upgrade, authorizationIn(socket.params) ?? headers.authorization);
  },
  findReply(context) {
    const { res, reply } = socketOf(context) ? {} : contextOf(context);
    return res ?? reply;
  },
  findAttachedToken: (context) => (socketOf(context) ? attachedTokenOf(contextOf(context)) : httpRequestOf(context)),
  findRequestKey(context) {
    const info = context.getArgByIndex<{ operation?: { operation?: string }; variableValues?: unknown } | undefined>(3);
    if (!socketOf(context) && info?.operation?.operation !== 'subscription') return httpRequestOf(context);
    // Connections and subscriptions outlive a token, so look-ups are shared only within one execution. Each execution
    // has a new `variableValues` object.
    const key = info?.variableValues;
    return typeof key === 'object' && key !== null ? key : undefined;
  },
  toException(failure, { cause }) {
    const { error, error_description, ...stepUp } = errorMembers(failure);
    const code = CODES[failure.status] ?? (failure.status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR');
    // graphql-js copies `extensions` from the original error.
    const extensions = { code, error, error_description, ...stepUp };
    return Object.assign(toHttpException(failure, cause), { extensions });
  },
  findStream(context) {
    const operation = context.getArgByIndex<{ operation?: { operation?: string } } | undefined>(3)?.operation;
    const socket = operation?.operation === 'subscription' ? socketOf(context)?.find() : undefined;
    if (!socket) return undefined;
    return {
      key: socket,
      isClosed: socket.readyState === CLOSED,
      onClosed: (callback) => void socket.once('close', callback),
      close: (reason) => closeSocket(socket, refusalPayload(reason)),
    };
  },
};

/** The error codes of Apollo by status. */
const CODES: Record<number, string> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' };

const contextOf = (context: ExecutionContext) => context.getArgByIndex<GraphQLContext | undefined>(2) ?? {};

function httpRequestOf(context: ExecutionContext): GuardedRequest {
  const { req, request, reply } = contextOf(context);
  const native = req ?? reply?.request ?? request;
  if (native && 'headers' in native) return native;
  const remedy = 'remove the option `context` of GraphQLModule, let it return `{ req }`, or override `getRequest()`';
  throw new InvalidArgumentError(`Invalid argument: OAuthGuard finds no request in the GraphQL context: ${remedy}`);
}

interface Socket {
  params: Record<string, unknown> | undefined;
  upgrade: UpgradeRequest | undefined;
  find(): NativeSocket | undefined;
}

/** Returns the WebSocket connection of an operation. `undefined` over HTTP. */
function socketOf(context: ExecutionContext): Socket | undefined {
  const given = contextOf(context);
  const ofGraphQLWs = [given, given.req].find((one) => one?.extra?.socket || one?.connectionParams);
  if (ofGraphQLWs) {
    const { connectionParams, extra } = ofGraphQLWs;
    return { params: connectionParams, upgrade: extra?.request, find: () => extra?.socket };
  }
  if (!('_connectionInit' in given)) return undefined;
  const { _connectionInit: params } = given;
  return { params, upgrade: given.request, find: () => socketOfMercurius(given.request) };
}

/**
 * Returns the WebSocket connection of a Mercurius request. Mercurius does not expose it, so it is searched among the
 * clients of `@fastify/websocket`.
 */
function socketOfMercurius(request: MercuriusRequest | undefined): NativeSocket | undefined {
  const socket = request?.raw?.socket;
  return socket && [...(request?.server?.websocketServer?.clients ?? [])].find(({ _socket }) => _socket === socket);
}
