import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A provider that accepts each refresh token once. The refresh tokens of a user are `USER:0`, `USER:1` and so on. */
export class RotatingProvider {
  /** The lifetime of access tokens in seconds. */
  lifetime = 3600;
  /** The number of accepted refresh requests. */
  accepted = 0;
  /** When the last response was sent. */
  respondedAt = 0;
  /** The number of requests with each refresh token that was used before. */
  readonly replays = new Map<string, number>();
  /** The refresh tokens whose requests are handled, and those that two requests had at the same time. */
  private readonly handled = new Set<string>();
  readonly simultaneous: string[] = [];
  private readonly current = new Map<string, number>();
  private readonly server = createServer((request, response) => {
    void this.handle(request, response);
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** The number of refresh tokens of a user that were used. */
  usedBy(user: string): number {
    return this.current.get(user) ?? 0;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await this.respond(request);
    this.respondedAt = Date.now();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private async respond(request: IncomingMessage): Promise<{ status: number; body: object }> {
    let form = '';
    for await (const chunk of request) form += String(chunk);
    const token = new URLSearchParams(form).get('refresh_token')!;
    if (this.handled.has(token)) this.simultaneous.push(token);
    this.handled.add(token);
    await sleep(Math.random() * 40);
    const result = this.rotate(token);
    await sleep(Math.random() * 40);
    this.handled.delete(token);
    return result;
  }

  private rotate(token: string): { status: number; body: object } {
    const [user, number] = token.split(':') as [string, string];
    const expected = this.usedBy(user);
    if (Number(number) !== expected) {
      this.replays.set(token, (this.replays.get(token) ?? 0) + 1);
      return { status: 400, body: { error: 'invalid_grant' } };
    }
    this.current.set(user, expected + 1);
    this.accepted += 1;
    const next = `${user}:${expected + 1}`;
    return {
      status: 200,
      body: { access_token: `access ${next}`, token_type: 'Bearer', refresh_token: next, expires_in: this.lifetime },
    };
  }
}
