import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The provider as configured in a relying party. */
export interface Provider {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** The user profile that a relying party received. */
export interface Profile {
  sub: string;
  name: string;
  email: string;
}

/** Starts a server on a free port. */
export async function serve(
  listener: (url: string) => RequestListener,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', listener(url));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  };
  return { url, stop };
}
