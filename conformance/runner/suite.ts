/** A module of a plan, as the suite lists it. */
export interface SuiteModule {
  testModule: string;
  variant?: Record<string, string>;
  /** The identifiers of its runs within the plan. Empty if it never ran. */
  instances?: readonly string[];
}

/** A plan that was created in the suite. */
export interface SuitePlan {
  id: string;
  modules: readonly SuiteModule[];
}

/** The state of a run of a module. */
export interface ModuleState {
  status: string;
  result?: string;
}

/** One entry of a module's log. For a condition that does not hold, `result` is `FAILURE` or `WARNING`. */
export interface LogEntry {
  src: string;
  result?: string;
  msg?: string;
}

/** A response with its complete body. */
interface Answer {
  ok: boolean;
  status: number;
  text: string;
}

/** Maximum number of attempts to send a GET request. An attempt fails if the connection breaks. */
const ATTEMPTS = 3;

/** A client of the suite's REST API, with the calls that a run needs. */
export class Suite {
  constructor(readonly url: string) {}

  async version(): Promise<string> {
    return (await this.call<{ version: string }>('GET', 'api/server')).version;
  }

  /** @param variant The variants that the plan leaves open. The suite rejects variants that the plan sets itself. */
  async createPlan(planName: string, variant: object, configuration: object): Promise<SuitePlan> {
    const query = new URLSearchParams({ planName, variant: JSON.stringify(variant) });
    return await this.call('POST', `api/plan?${query.toString()}`, configuration);
  }

  /** Returns the modules of a plan in the order of its creation, each with its runs. */
  async modules(plan: string): Promise<readonly SuiteModule[]> {
    return (await this.call<SuitePlan>('GET', `api/plan/${plan}`)).modules;
  }

  /** Starts a module of a plan and returns the identifier of the run. */
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

  /** Continues a module that waits for an action outside of the suite. */
  async resume(id: string): Promise<void> {
    await this.call('POST', `api/runner/${id}`);
  }

  /** Stops a module that does not finish. */
  async stop(id: string): Promise<void> {
    await this.call('DELETE', `api/runner/${id}`);
  }

  private async call<T>(method: string, path: string, body?: object): Promise<T> {
    const { ok, status, text } = await this.send(method, path, body, method === 'GET' ? ATTEMPTS : 1);
    if (!ok) throw new Error(`${method} ${path}: the suite answered ${status} ${text.slice(0, 500)}`);
    return (text && JSON.parse(text)) as T;
  }

  private async send(method: string, path: string, body: object | undefined, attempts: number): Promise<Answer> {
    try {
      const response = await fetch(new URL(path, `${this.url}/`), {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { ok: response.ok, status: response.status, text: await response.text() };
    } catch (error) {
      if (attempts === 1) throw error;
      return await this.send(method, path, body, attempts - 1);
    }
  }
}
