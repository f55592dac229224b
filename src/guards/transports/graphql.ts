import type { ExecutionContext } from '@nestjs/common';
import { errorMembers } from '../../../lib/adapter/index.js';
import { InvalidArgumentError } from '../../../lib/index.js';
import type { NativeReply } from '../../http/native-reply.js';
import { toHttpException } from '../http-exception.js';
import { authorizationIn, handshakeRequest, type UpgradeRequest } from './handshake.js';
import { refusalPayload } from './refusal-payload.js';
import { closeSocket, type NativeSocket } from './socket.js';
import { attachedTokenOf, type GuardedRequest, type Transport } from './transport.js';

/** What graphql-ws hands to a context function; the driver of Apollo calls it the request. */
interface GraphQLSocket {
  connectionParams?: Record<string, unknown> | undefined;
  extra?: { request?: UpgradeRequest; socket?: NativeSocket };
}

/** The context of a resolver, as the drivers of Apollo and Mercurius make it, or a host after their manner. */
interface GraphQLContext extends GraphQLSocket {
  req?: GuardedRequest & GraphQLSocket;
  res?: NativeReply;
  reply?: NativeReply & { request?: GuardedRequest };
  request?: GuardedRequest & MercuriusRequest;
  /** Of Mercurius, once a client has opened a subscription: what it sent with that. */
  _connectionInit?: Record<string, unknown> | undefined;
}

interface MercuriusRequest {
  raw?: { socket?: object };
  server?: { websocketServer?: { clients: Set<NativeSocket & { _socket?: object }> } };
}

/** Resolvers, over HTTP and over graphql-ws. RFC 6750 §2.1 */
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
    // A connection and a subscription outlive a token: look-ups are shared within one execution. Its variables are a new object.
    const key = info?.variableValues;
    return typeof key === 'object' && key !== null ? key : undefined;
  },
  toException(failure, { cause }) {
    const { error, error_description, ...stepUp } = errorMembers(failure);
    const code = CODES[failure.status] ?? (failure.status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR');
    // An error of graphql-js takes its extensions from the error it was made of.
    const extensions = { code, error, error_description, ...stepUp };
    return Object.assign(toHttpException(failure, cause), { extensions });
  },
  findStream(context) {
    const operation = context.getArgByIndex<{ operation?: { operation?: string } } | undefined>(3)?.operation;
    const socket = operation?.operation === 'subscription' ? socketOf(context)?.find() : undefined;
    if (!socket) return undefined;
    return {
      key: socket,
      onClosed: (callback) => void socket.once('close', callback),
      close: (reason) => closeSocket(socket, refusalPayload(reason)),
    };
  },
};

/** As Apollo names them. */
const CODES: Record<number, string> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' };

const contextOf = (context: ExecutionContext) => context.getArgByIndex<GraphQLContext | undefined>(2) ?? {};

function httpRequestOf(context: ExecutionContext): GuardedRequest {
  const { req, request, reply } = contextOf(context);
  const found = req ?? reply?.request ?? request;
  if (found && 'headers' in found) return found;
  const remedy = 'leave the `context` of GraphQLModule out, or let it return `{ req }`; or override `getRequest()`';
  throw new InvalidArgumentError(`Invalid argument: OAuthGuard finds no request in the GraphQL context: ${remedy}`);
}

interface Socket {
  params: Record<string, unknown> | undefined;
  upgrade: UpgradeRequest | undefined;
  find(): NativeSocket | undefined;
}

/** The connection of an operation that came over one; undefined over HTTP. */
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

/** Mercurius keeps the connection to itself; the server of `@fastify/websocket` knows them all. */
function socketOfMercurius(request: MercuriusRequest | undefined): NativeSocket | undefined {
  const socket = request?.raw?.socket;
  return socket && [...(request?.server?.websocketServer?.clients ?? [])].find(({ _socket }) => _socket === socket);
}
