import { once } from 'node:events';
import { WebSocket } from 'ws';
import { bearer } from './http.js';

/** A client of a WebSocket gateway, based on `ws`. */
export class GatewayClient {
  readonly socket: WebSocket;
  /** Resolves to the close code when the connection is closed. */
  readonly closed: Promise<number>;

  constructor(url: string, token?: string) {
    this.socket = new WebSocket(url.replace('http', 'ws'), { headers: token ? bearer(token) : {} });
    this.closed = once(this.socket, 'close').then(([code]) => code as number);
  }

  async request(event: string, data?: unknown): Promise<unknown> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, 'open');
    const reply = once(this.socket, 'message');
    this.socket.send(JSON.stringify({ event, data }));
    return JSON.parse(String((await reply)[0]));
  }
}
