import type { IncomingHttpHeaders } from 'node:http';
import type { NativeRequest } from '../../http/http-adapter.js';

/** The HTTP request that opened a WebSocket. */
export interface UpgradeRequest {
  headers: IncomingHttpHeaders;
  url?: string;
  socket?: unknown;
}

/**
 * Returns the member `authorization` of an object that a client sent. The case of its name does not matter. `undefined`
 * if it is missing or no text.
 */
export function authorizationIn(sent: unknown): string | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const value: unknown = Object.entries(sent).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns the handshake as a request with this `Authorization` header instead of its own. If `authorization` is
 * `undefined`, the request has none.
 */
export function handshakeRequest(
  upgrade: UpgradeRequest | undefined,
  authorization: string | undefined,
  socket = upgrade?.socket,
): NativeRequest {
  const { authorization: _own, ...headers } = upgrade?.headers ?? {};
  if (authorization !== undefined) Object.assign(headers, { authorization });
  return {
    headers,
    method: 'GET',
    url: upgrade?.url?.split('?', 1)[0] ?? '/',
    query: {},
    socket,
    ...(upgrade && { handshake: upgrade }),
  };
}
