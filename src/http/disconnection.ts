import type { NativeRequest } from './http-adapter.js';

/** The part of a connection that is used: a socket, or a stream of HTTP/2. */
interface Connection {
  readonly destroyed?: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

interface NodeRequest {
  readonly socket?: Connection;
  readonly stream?: Connection;
}

/** Runs an operation with a signal that aborts when the client of a request closes its connection. */
export async function untilDisconnected<T>(
  native: NativeRequest,
  operation: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // The event `close` of a request only means that its body was read.
  const { stream, socket } = (native as { raw?: NodeRequest }).raw ?? (native as NodeRequest);
  const connection = stream ?? socket;
  const controller = new AbortController();
  const abort = () => {
    controller.abort();
  };
  if (connection?.destroyed) abort();
  connection?.once('close', abort);
  try {
    return await operation(controller.signal);
  } finally {
    // Later requests use the same connection.
    connection?.off('close', abort);
  }
}
