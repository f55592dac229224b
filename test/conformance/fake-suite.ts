import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import type { LogEntry } from '../../conformance/runner/suite.js';

/** What becomes of a module: its states one after the other, the last one for ever, and its log. */
export interface Fate {
  states: readonly { status: string; result?: string }[];
  log?: readonly LogEntry[];
}

/** Answers the calls of a run as the suite does, and decides beforehand how modules end. */
export class FakeSuite {
  url = '';
  /** What it was asked, in order. */
  readonly calls: string[] = [];
  /** With what plans were created. */
  readonly created: { variant: unknown; configuration: unknown }[] = [];
  private readonly looks = new Map<string, number>();
  private server: Server | undefined;

  constructor(private readonly modules: Readonly<Record<string, Fate>>) {}

  async start(): Promise<void> {
    this.server = createServer((request, response) => {
      void this.answer(request).then((body) =>
        response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? { error: 'no such thing' })),
      );
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server?.close();
    this.server?.closeAllConnections();
    await once(this.server!, 'close');
  }

  private async answer(request: IncomingMessage): Promise<unknown> {
    const { pathname, searchParams } = new URL(request.url!, this.url);
    const call = `${request.method} ${pathname}`;
    const module = pathname.split('/').at(-1)!;
    this.calls.push(call);
    if (call === 'GET /api/server') return { version: '5.1.43' };
    if (call === 'POST /api/plan') {
      if (searchParams.get('planName') !== 'the-plan') return undefined;
      this.created.push({ variant: JSON.parse(searchParams.get('variant')!), configuration: await json(request) });
      return { id: 'plan-1', modules: Object.keys(this.modules).map((testModule) => ({ testModule })) };
    }
    // A module has itself for its id.
    if (call === 'POST /api/runner') return { id: searchParams.get('test') };
    const { states, log = [] } = this.modules[module]!;
    if (call.startsWith('GET /api/log/')) return log;
    if (/^(DELETE|POST) \/api\/runner\//.test(call)) return {};
    const look = this.looks.get(module) ?? 0;
    this.looks.set(module, look + 1);
    return states[Math.min(look, states.length - 1)];
  }
}
