/** A module of a plan, as the suite lists it. */
export interface SuiteModule {
  testModule: string;
  variant?: Record<string, string>;
}

/** How a module stands. */
export interface ModuleState {
  status: string;
  result?: string;
}

/** A line of a module's log: of a condition that did not hold, `result` is `FAILURE` or `WARNING`. */
export interface LogEntry {
  src: string;
  result?: string;
  msg?: string;
}

/** A running suite, by the calls of its REST interface that a run needs. */
export class Suite {
  constructor(readonly url: string) {}

  async version(): Promise<string> {
    return (await this.call<{ version: string }>('GET', 'api/server')).version;
  }

  /** @param variant what the plan leaves open: the suite refuses what a plan says itself */
  async createPlan(
    planName: string,
    variant: object,
    configuration: object,
  ): Promise<{ id: string; modules: SuiteModule[] }> {
    const query = new URLSearchParams({ planName, variant: JSON.stringify(variant) });
    return await this.call('POST', `api/plan?${query.toString()}`, configuration);
  }

  /** Starts a module of a plan. */
  async start(plan: string, { testModule, variant = {} }: SuiteModule): Promise<string> {
    const query = new URLSearchParams({ test: testModule, plan, variant: JSON.stringify(variant) });
    return (await this.call<{ id: string }>('POST', `api/runner?${query.toString()}`)).id;
  }

  async state(id: string): Promise<ModuleState> {
    return await this.call('GET', `api/info/${id}`);
  }

  async log(id: string): Promise<LogEntry[]> {
    return await this.call('GET', `api/log/${id}`);
  }

  /** Lets a module go on that waits for something to be done elsewhere. */
  async resume(id: string): Promise<void> {
    await this.call('POST', `api/runner/${id}`);
  }

  /** Ends a module that does not end by itself. */
  async stop(id: string): Promise<void> {
    await this.call('DELETE', `api/runner/${id}`);
  }

  private async call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(new URL(path, `${this.url}/`), {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: the suite answered ${response.status} ${text.slice(0, 500)}`);
    return (text && JSON.parse(text)) as T;
  }
}
