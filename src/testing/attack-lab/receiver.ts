import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on the loopback interface, which counts how often the application connects to it. */
export class LabReceiver {
  connections = 0;
  private server: Server | undefined;

  /** Returns the URL of the receiver. It starts on first use. */
  async url(path: string, host = '127.0.0.1'): Promise<string> {
    this.server ??= await new Promise<Server>((resolve) => {
      const server = createServer((_, response) => response.end('{}'));
      server.on('connection', () => (this.connections += 1));
      server.listen(0, '127.0.0.1', () => resolve(server));
    });
    return `http://${host}:${(this.server.address() as AddressInfo).port}${path}`;
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}
