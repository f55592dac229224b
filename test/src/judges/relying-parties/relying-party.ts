import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An application that signs its users in at a provider, of which it knows no more than this. */
export interface Provider {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** What it has learned of its user. */
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
