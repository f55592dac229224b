import type { IncomingHttpHeaders } from 'node:http';
import type { NativeRequest } from '../../http/http-adapter.js';

/** The HTTP request by which a WebSocket was opened. */
export interface UpgradeRequest {
  headers: IncomingHttpHeaders;
  url?: string;
  socket?: unknown;
}

/** What stands under `authorization` in an object that a client sent, whatever the case. */
export function authorizationIn(sent: unknown): string | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined;
  const [, value] = Object.entries(sent).find(([name]) => name.toLowerCase() === 'authorization') ?? [];
  return typeof value === 'string' ? value : undefined;
}

/** The handshake as a request that brings this authorization, and no other. */
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
