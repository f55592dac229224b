import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Milliseconds between two checks of each server. */
const INTERVAL = 200;

/** The options of a `PrimaryProxy`. */
export interface PrimaryProxyOptions {
  /** Whether the server at a port is the primary. A rejected promise means that it is not. */
  isPrimary(port: number): Promise<boolean>;
  /**
   * Whether to close the connections to a server that is no longer the primary, as `on-marked-down shutdown-sessions` of
   * HAProxy does. Default: `true`.
   */
  closesConnections?: boolean;
}

/** A TCP proxy that forwards new connections to the primary, as HAProxy does with a health check. */
export class PrimaryProxy {
  private readonly sockets = new Map<Socket, number>();
  private readonly server: Server;
  private readonly timer: NodeJS.Timeout;
  private isChecking = false;
  private primary: number | undefined;

  private constructor(
    private readonly ports: readonly number[],
    private readonly options: PrimaryProxyOptions,
  ) {
    this.primary = ports[0];
    this.server = createServer((near) => this.forward(near));
    this.timer = setInterval(() => void this.check(), INTERVAL);
  }

  /** Starts a proxy for servers of which the first one is the primary. */
  static async start(ports: readonly number[], options: PrimaryProxyOptions): Promise<PrimaryProxy> {
    const proxy = new PrimaryProxy(ports, options);
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const socket of this.sockets.keys()) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(near: Socket): void {
    const port = this.primary;
    if (port === undefined) {
      near.on('error', () => undefined);
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.set(socket, port);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  }

  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    const states = await Promise.all(
      this.ports.map((port) =>
        this.options.isPrimary(port).then(
          (isPrimary) => isPrimary,
          () => false,
        ),
      ),
    );
    this.isChecking = false;
    this.primary = this.ports.find((_, index) => states[index]);
    if (this.options.closesConnections === false) return;
    for (const [socket, port] of this.sockets) if (port !== this.primary) socket.destroy();
  }
}
