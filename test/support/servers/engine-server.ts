import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { OAuth2Server, type OAuth2ServerOptions, OAuthError, Request, Response } from 'nest-oauth2/server';

const ROUTES = { '/authorize': 'authorize', '/token': 'token', '/resource': 'authenticate' } as const;

/** An HTTP server that uses only `node:http` and the engine. It is an authorization server and a protected resource. */
export class EngineServer {
  #http: Server | undefined;
  issuer = '';

  async start(options: OAuth2ServerOptions): Promise<void> {
    const http = createServer((message, serverResponse) => {
      void handle(engine, message).then(({ status, headers, body }) =>
        serverResponse.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body)),
      );
    });
    await new Promise<void>((resolve) => {
      http.listen(0, '127.0.0.1', resolve);
    });
    this.#http = http;
    this.issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const engine = new OAuth2Server({ issuer: this.issuer, ...options });
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.#http?.close(resolve);
      this.#http?.closeAllConnections();
    });
  }
}

async function handle(engine: OAuth2Server, message: IncomingMessage): Promise<Response> {
  const { pathname, searchParams } = new URL(message.url ?? '/', 'http://127.0.0.1');
  const body = Object.fromEntries(new URLSearchParams(await text(message)));
  const request = new Request({
    method: message.method ?? 'GET',
    headers: message.headers,
    query: Object.fromEntries(searchParams),
    body,
  });
  const response = new Response();
  try {
    const options = pathname === '/resource' ? { scope: 'read' } : {};
    await engine[ROUTES[pathname as keyof typeof ROUTES]](request, response, options);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
  }
  return response;
}
