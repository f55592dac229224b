import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import type { LogEntry } from '../../conformance/runner/suite.js';

/** The outcome of a module: its states in order, of which the last one remains, and its log. */
export interface ModuleOutcome {
  states: readonly { status: string; result?: string }[];
  log?: readonly LogEntry[];
  /**
   * How the start fails: the suite rejects it, accepts it without a run in the plan, or closes the connection. If
   * omitted, it succeeds.
   */
  start?: 'refused' | 'lost' | 'broken';
  /** The number of requests for the log that fail first, because the suite closes the connection. Default: `0`. */
  brokenLogs?: number;
}

/** A fake conformance suite with modules that end as given. */
export class FakeSuite {
  url = '';
  /** The received calls in order. */
  readonly calls: string[] = [];
  /** The variants and configurations of the created plans. */
  readonly created: { variant: unknown; configuration: unknown }[] = [];
  private readonly looks = new Map<string, number>();
  private readonly started = new Set<string>();
  private server: Server | undefined;

  constructor(private readonly modules: Readonly<Record<string, ModuleOutcome>>) {}

  async start(): Promise<void> {
    this.server = createServer((request, response) => {
      void this.answer(request).then(
        (body) =>
          response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? { error: 'no such thing' })),
        () => request.socket.destroy(),
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

  private instances(module: string): string[] {
    return this.started.has(module) ? [module] : [];
  }

  /** @throws {Error} If the connection of this request breaks. */
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
    if (call === 'GET /api/plan/plan-1') {
      return {
        modules: Object.keys(this.modules).map((testModule) => ({ testModule, instances: this.instances(testModule) })),
      };
    }
    // The name of a module also identifies its run.
    if (call === 'POST /api/runner') {
      const test = searchParams.get('test')!;
      const { start } = this.modules[test]!;
      if (start === 'refused') return undefined;
      if (start === 'broken') throw new Error('The connection breaks.');
      if (start !== 'lost') this.started.add(test);
      return { id: test };
    }
    const { states, log = [], brokenLogs = 0 } = this.modules[module]!;
    if (call.startsWith('GET /api/log/')) {
      if (this.calls.filter((one) => one === call).length <= brokenLogs) throw new Error('The connection breaks.');
      return log;
    }
    if (/^(DELETE|POST) \/api\/runner\//.test(call)) return {};
    const look = this.looks.get(module) ?? 0;
    this.looks.set(module, look + 1);
    return states[Math.min(look, states.length - 1)];
  }
}
