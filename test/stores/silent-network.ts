import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A network between a store and its database. When it falls silent, open connections transfer nothing and report no
 * error, and new connections are accepted but never get a response.
 */
export class SilentNetwork {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private isSilent = false;
  private isRefusing = false;

  private constructor(target: URL, defaultPort: number) {
    this.server = createServer((near) => {
      this.keep(near);
      if (this.isRefusing) near.destroy();
      if (this.isSilent || this.isRefusing) return;
      const far = connect(Number(target.port) || defaultPort, target.hostname);
      this.keep(far);
      near.pipe(far).pipe(near);
    });
  }

  static async to(target: string, defaultPort: number): Promise<SilentNetwork> {
    const network = new SilentNetwork(new URL(target), defaultPort);
    network.server.listen(0, '127.0.0.1');
    await once(network.server, 'listening');
    return network;
  }

  /** Returns the URL of the database through this network. */
  urlOf(target: string): string {
    const url = new URL(target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  fallSilent(): void {
    this.isSilent = true;
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.pause();
      socket.removeAllListeners('end');
    }
  }

  /** Makes new connections work again. Connections that were open when it fell silent stay dead. */
  recover(): void {
    this.isSilent = this.isRefusing = false;
  }

  /** Closes every connection, as a killed server does. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Closes every connection, including each new one. */
  refuse(): void {
    this.isRefusing = true;
    this.cut();
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }
}
