import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that the introspection server received. */
export interface ReceivedRequest {
  path: string;
  method: string;
  headers: IncomingMessage['headers'];
  form: Record<string, string>;
}

type Reply = (response: ServerResponse, received: ReceivedRequest) => unknown;

export const json =
  (body: unknown, status = 200, headers = {}): Reply =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

/** An authorization server with configurable responses. It records the requests that it receives. */
export class IntrospectionServer {
  /** The responses by path. */
  replies: Record<string, Reply> = {};
  received: ReceivedRequest[] = [];
  /** The maximum number of requests that the server handled concurrently. */
  maxConcurrent = 0;
  url = '';
  private openRequests = 0;
  private http: Server | undefined;
  private port = 0;

  async start(): Promise<void> {
    const http = createServer((request, response) => {
      this.maxConcurrent = Math.max(this.maxConcurrent, ++this.openRequests);
      response.on('close', () => this.openRequests--);
      void this.respond(request, response);
    });
    await new Promise<void>((resolve) => {
      http.listen(this.port, '127.0.0.1', resolve);
    });
    this.http = http;
    this.port = (http.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
  }

  /** Stops the server. `start()` restarts it on the same port. */
  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.http?.close(resolve);
      this.http?.closeAllConnections();
    });
  }

  /** Returns the requests received at a path. */
  requestsTo(path: string): ReceivedRequest[] {
    return this.received.filter((request) => request.path === path);
  }

  /**
   * Clears the recorded requests and restores valid metadata. The introspection endpoint then returns `introspection`.
   */
  reset(introspection: unknown = { active: false }, metadata: object = {}): void {
    this.received = [];
    this.maxConcurrent = 0;
    const serverMetadata = { issuer: this.url, introspection_endpoint: `${this.url}/introspect`, ...metadata };
    this.replies = { [WELL_KNOWN]: json(serverMetadata), '/introspect': json(introspection) };
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await text(request).catch(() => '')));
    const received = { path: request.url!, method: request.method!, headers: request.headers, form };
    this.received.push(received);
    const reply = this.replies[received.path] ?? json({ error: 'not found' }, 404);
    await reply(response, received);
  }
}

export const WELL_KNOWN = '/.well-known/oauth-authorization-server';
