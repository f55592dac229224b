import { appendFileSync } from 'node:fs';

import type { StoredUpstreamTokens, UpstreamTokenModel } from '../../lib/index.js';
import type { Step } from './trace-rules.js';

type Writable = Pick<UpstreamTokenModel, 'findUpstreamTokens' | 'replaceUpstreamTokens'>;

/** A step without the members that all steps have. */
type NewStep = Step extends infer One ? (One extends Step ? Omit<One, 'process' | 'at'> : never) : never;

/**
 * Records the steps of the vault in this process: each look-up and change of an entry, and each refresh request. A
 * step is in the file before it has an effect, so that SIGKILL loses none.
 */
export class TraceWriter {
  private writes = 0;

  constructor(private readonly file: string) {}

  /** Records the calls of a store. */
  recordStore(store: Writable): void {
    const [find, replace] = [store.findUpstreamTokens.bind(store), store.replaceUpstreamTokens.bind(store)];
    store.findUpstreamTokens = async (id) => {
      const found = await find(id);
      if (found) this.add({ step: 'find', data: found.data, expiresIn: found.expiresIn });
      return found;
    };
    store.replaceUpstreamTokens = async (from: StoredUpstreamTokens, to) => {
      this.writes += 1;
      const write = this.writes;
      this.add({ step: 'write', write, from: from.data, to: to.data });
      const isReplaced = await replace(from, to);
      this.add({ step: 'written', write, isReplaced });
      return isReplaced;
    };
  }

  /** Sends a request to the provider, and records it if it refreshes tokens. */
  readonly fetch = async (url: string, init?: RequestInit): Promise<Response> => {
    const token = new URLSearchParams(String(init?.body)).get('refresh_token');
    if (token === null) return fetch(url, init);
    this.add({ step: 'call', token });
    const response = await fetch(url, init);
    this.add({ step: 'answered', token, status: response.status });
    return response;
  };

  private add(step: NewStep): void {
    // All processes of a machine have this clock.
    const at = Number(process.hrtime.bigint());
    appendFileSync(this.file, `${JSON.stringify({ ...step, process: process.pid, at })}\n`);
  }
}
