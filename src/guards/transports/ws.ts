import type { ExecutionContext } from '@nestjs/common';
import { InvalidArgumentError } from '../../../lib/index.js';
import type { NativeRequest } from '../../http/http-adapter.js';
import { toHttpException } from '../http-exception.js';
import { authorizationIn, handshakeRequest, type UpgradeRequest } from './handshake.js';
import { type OAuthRefusal, refusalPayload } from './refusal-payload.js';
import { CLOSED, closeSocket, type NativeSocket, OPEN } from './socket.js';
import { attachedTokenOf, type OpenStream, type Transport } from './transport.js';

/** A connection of socket.io. */
interface IoSocket {
  readonly handshake: UpgradeRequest & { auth?: Record<string, unknown> };
  /** The HTTP request that opened the connection. */
  readonly request?: { socket?: unknown };
  readonly disconnected: boolean;
  emit(event: string, payload: unknown): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
  disconnect(close: true): unknown;
}

/** The connection of a client to a gateway: a `ws` socket or a socket.io socket. */
export type GatewayClient = NativeSocket | IoSocket;

const upgrades = new WeakMap<object, UpgradeRequest>();

/** Stores the request that opened a `ws` connection, because the connection has no reference to it. */
export const rememberUpgrade = (client: object, upgrade: UpgradeRequest) => upgrades.set(client, upgrade);

const isIo = (client: GatewayClient): client is IoSocket => 'handshake' in client;

const clientOf = (context: ExecutionContext) => context.getArgByIndex<GatewayClient>(0);

/**
 * Messages of WebSocket gateways. The token is that of the handshake, and is looked up for each message. RFC 6750 §2.1
 */
export const ws: Transport = {
  readRequest: (context) => requestOf(clientOf(context)),
  findAttachedToken(context) {
    const message = context.getArgByIndex<unknown>(1);
    // Messages of one connection may be handled concurrently, so each has its own token.
    return attachedTokenOf(typeof message === 'object' && message !== null ? message : clientOf(context));
  },
  async toException(failure, { cause }, context) {
    try {
      const { WsException } = await import('@nestjs/websockets');
      const refusal = refusalPayload(failure);
      sendOnNest11(clientOf(context), refusal);
      return new WsException(refusal);
    } catch {
      return toHttpException(failure, cause);
    }
  },
  findStream: (context) => gatewayStream(clientOf(context)),
};

function requestOf(client: GatewayClient): NativeRequest {
  if (isIo(client)) {
    const { headers, auth } = client.handshake;
    return handshakeRequest(client.handshake, authorizationOf(auth) ?? headers.authorization, client.request?.socket);
  }
  const upgrade = upgrades.get(client);
  if (upgrade) return handshakeRequest(upgrade, upgrade.headers.authorization);
  const remedy = 'import OAuth2Module in the application of the gateway, or override `getRequest()`';
  throw new InvalidArgumentError(
    `Invalid argument: OAuthGuard cannot find the request that opened this WebSocket: ${remedy}`,
  );
}

/**
 * Returns the `Authorization` value in the `auth` payload of socket.io: `{ token }`, or
 * `{ authorization: 'Bearer …' }`.
 */
function authorizationOf(auth: Record<string, unknown> | undefined): string | undefined {
  const token = auth?.['token'];
  if (typeof token !== 'string' || token === '') return authorizationIn(auth);
  return /^[\w-]+ /.test(token) ? token : `Bearer ${token}`;
}

function gatewayStream(client: GatewayClient): OpenStream {
  return {
    key: client,
    isClosed: isIo(client) ? client.disconnected : client.readyState === CLOSED,
    onClosed: (callback) => (isIo(client) ? client.once('disconnect', callback) : client.once('close', callback)),
    close: (reason) => disconnect(client, refusalPayload(reason)),
  };
}

/** Sends the reason as an `exception` event, as the exception filter of Nest does, and closes the connection. */
export function disconnect(client: GatewayClient, data: OAuthRefusal): void {
  if (isIo(client)) {
    client.emit('exception', data);
    client.disconnect(true);
  } else if (client.readyState === OPEN) {
    sendException(client, data);
    closeSocket(client, data);
  }
}

const sendException = (client: NativeSocket, data: unknown) =>
  client.send(JSON.stringify({ event: 'exception', data }));

const refusals = new WeakSet();
const listening = new WeakSet<GatewayClient>();

/**
 * Sends refusals to `ws` clients under Nest 11, whose exception filter emits them only on the server's side of the
 * connection. Nest 12 sends them itself.
 */
function sendOnNest11(client: GatewayClient, refusal: OAuthRefusal): void {
  if (isIo(client)) return;
  refusals.add(refusal);
  if (listening.has(client)) return;
  listening.add(client);
  client.on?.('exception', (emitted: object) => {
    if (refusals.has(emitted) && client.readyState === OPEN) sendException(client, emitted);
  });
}
