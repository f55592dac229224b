import type { OAuthRefusal } from './refusal-payload.js';

/** A connection of `ws`, as far as it is used here. */
export interface NativeSocket {
  readonly readyState: number;
  send(text: string): void;
  close(code: number, reason: string): void;
  once(event: 'close', listener: () => void): unknown;
  on?(event: 'exception', listener: (payload: object) => void): unknown;
}

/** Closes a connection with the codes that graphql-ws has for it: 4401 and 4403; a fault of the server is 1011. RFC 6455 §7.4 */
export function closeSocket(socket: Pick<NativeSocket, 'close'>, { statusCode, error }: OAuthRefusal): void {
  // A reason has no more than 123 bytes.
  socket.close(statusCode >= 500 ? 1011 : statusCode === 403 ? 4403 : 4401, error.slice(0, 120));
}
