import type { IncomingHttpHeaders } from 'node:http';
import type { NativeRequest } from '../../http/http-adapter.js';

/** The HTTP request that opened a WebSocket. */
export interface UpgradeRequest {
  headers: IncomingHttpHeaders;
  url?: string;
  socket?: unknown;
}

/**
 * The spelling of the member `authorization` in objects that clients sent. It is searched once, because an object may
 * have very many members, and guards read it for each message and each field of a GraphQL query.
 */
const spellings = new WeakMap<object, string>();

/** Returns the member `authorization` of an object that a client sent. The case of its name does not matter. */
export function authorizationMember(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null) return undefined;
  let name = spellings.get(sent);
  if (name === undefined) {
    name = Object.keys(sent).find((one) => one.toLowerCase() === 'authorization') ?? 'authorization';
    spellings.set(sent, name);
  }
  return (sent as Record<string, unknown>)[name];
}

/** Returns the member `authorization` of an object that a client sent. `undefined` if it is missing or no text. */
export function authorizationIn(sent: unknown): string | undefined {
  const value = authorizationMember(sent);
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
