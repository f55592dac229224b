import { type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

/**
 * A self-signed certificate for tests only, valid for `client.example` with subdomains, `other.example` and loopback
 * addresses.
 */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIB3jCCAYWgAwIBAgIUPi4MWNlchIGv2zkHcK7VOrZaFH8wCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOY2xpZW50LmV4YW1wbGUwIBcNMjAwMTAxMDAwMDAwWhgPMjEy
NjAxMDEwMDAwMDBaMBkxFzAVBgNVBAMMDmNsaWVudC5leGFtcGxlMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAE+psckRI6u6SjAyRZrMP6IrIXKUbscAdsA7ojySas
1jOa2lZ6NZfF8QPUInoQceETrVIeDOn+bJc6zsc8+aVmW6OBqDCBpTAdBgNVHQ4E
FgQUGhpBNLQz2RKuk0F9defAa+VlHU8wHwYDVR0jBBgwFoAUGhpBNLQz2RKuk0F9
defAa+VlHU8wDwYDVR0TAQH/BAUwAwEB/zBSBgNVHREESzBJgg5jbGllbnQuZXhh
bXBsZYIQKi5jbGllbnQuZXhhbXBsZYINb3RoZXIuZXhhbXBsZYcEfwAAAYcQAAAA
AAAAAAAAAAAAAAAAATAKBggqhkjOPQQDAgNHADBEAiAJIi162kpXH5eCs57w6Snn
RNNuBwnFUtQet+PLUjhJpwIgOOsUXyClAoh7SDgVoBA+8I0LAZTHkCZOSNY7kIa8
+Zg=
-----END CERTIFICATE-----`;

/** The private key of `CERTIFICATE`. */
export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgG1Mw/LpErWpia8la
/HsmXNXIsmZHagSw0RntRnN7OnehRANCAAT6mxyREjq7pKMDJFmsw/oishcpRuxw
B2wDuiPJJqzWM5raVno1l8XxA9QiehBx4ROtUh4M6f5slzrOxzz5pWZb
-----END PRIVATE KEY-----`;

export type Reply = (response: ServerResponse, request: IncomingMessage) => unknown;

export const json =
  (body: unknown, headers = {}, status = 200): Reply =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

/** An HTTPS server with a configurable response for each path. It records the requests that it receives. */
export class TlsServer {
  replies: Record<string, Reply> = {};
  requests: IncomingMessage[] = [];
  port = 0;
  private server: Server | undefined;

  async start(host = '127.0.0.1'): Promise<void> {
    const server = createServer({ cert: CERTIFICATE, key: KEY }, (request, response) => {
      this.requests.push(request);
      response.on('error', () => undefined);
      (this.replies[request.url!] ?? json({}, {}, 404))(response, request);
    });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => {
      server.listen(0, host, resolve);
    });
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** Returns a URL of this server. Tests resolve `name` to the server's address. */
  url(path: string, name = 'client.example'): string {
    return `https://${name}:${this.port}${path}`;
  }

  /** Returns the number of requests for a path. */
  count(path: string): number {
    return this.requests.filter(({ url }) => url === path).length;
  }

  reset(): void {
    this.replies = {};
    this.requests = [];
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.server?.close(resolve);
      this.server?.closeAllConnections();
    });
  }
}
