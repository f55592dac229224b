import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A network between a store and its database. When it falls silent, nobody is told: whatever is open stays open and
 * carries nothing any more, for ever, and whatever is opened meanwhile is taken and never answered.
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

  /** Where the database is found behind it. */
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

  /** New connections work again; those that were open when it fell silent are dead. */
  recover(): void {
    this.isSilent = this.isRefusing = false;
  }

  /** Ends every connection at once, as a server does that is killed. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Ends every connection, and each new one. */
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
