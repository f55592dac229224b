import type { OAuthRefusal } from './refusal-payload.js';

/** A WebSocket connection of `ws`. */
export interface NativeSocket {
  readonly readyState: number;
  send(text: string): void;
  close(code: number, reason: string): void;
  once(event: 'close', listener: () => void): unknown;
  on?(event: 'exception', listener: (payload: object) => void): unknown;
}

/** The `readyState` of an open connection. */
export const OPEN = 1;
/** The `readyState` of a closed connection. */
export const CLOSED = 3;

/** Closes a connection with the close codes of graphql-ws, 4401 and 4403, or 1011 for a server error. RFC 6455 §7.4 */
export function closeSocket(socket: Pick<NativeSocket, 'close'>, { statusCode, error }: OAuthRefusal): void {
  // A close reason has at most 123 bytes.
  socket.close(statusCode >= 500 ? 1011 : statusCode === 403 ? 4403 : 4401, error.slice(0, 120));
}
