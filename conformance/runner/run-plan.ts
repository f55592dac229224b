import { setTimeout as sleep } from 'node:timers/promises';

import type { LogEntry, Suite, SuiteModule, SuitePlan } from './suite.js';

/** The outcome of a module. */
export interface ModuleOutcome {
  module: string;
  /**
   * The suite's own result: `PASSED`, `WARNING`, `REVIEW`, `SKIPPED` or `FAILED`. `UNKNOWN` if the suite reports none.
   */
  result: string;
  /** How the run ended. Every value except `FINISHED` is a failure, even if `result` is `PASSED`. */
  ending: 'FINISHED' | 'INTERRUPTED' | 'TIMEOUT' | 'NOT RUN';
  /** The conditions that do not hold, without duplicates. */
  conditions: string[];
  /** The messages of these conditions. */
  messages: string[];
  /** The URL of the complete log. */
  log: string;
}

/** How a plan is run. */
export interface RunOptions {
  /** Whether to run this module. */
  wants: (module: string) => boolean;
  /** Maximum duration of a module in seconds. Some modules wait until a code expires. */
  patience: number;
  /** Seconds between two requests for the state of a module. */
  interval: number;
  /** Seconds to wait before a module starts. */
  pauses?: Readonly<Record<string, number>>;
  /** Performs the action that a module waits for. Resolves to `false` if the module waits for no action. */
  meanwhile?: (module: string) => Promise<boolean>;
  /** Signs in with the client under test, when a module waits for it. Rejects if the client does not do what it must. */
  visit?: (module: string) => Promise<void>;
}

const DONE = ['FINISHED', 'INTERRUPTED'];

/**
 * Runs the modules of a plan one at a time, because modules with the same alias stop each other. Yields one outcome for
 * each. A module that did not start, or whose run the suite does not list in the plan, is `NOT RUN`.
 */
export async function* runPlan(suite: Suite, plan: SuitePlan, options: RunOptions): AsyncGenerator<ModuleOutcome> {
  for (const [at, module] of plan.modules.entries()) {
    if (!options.wants(module.testModule)) continue;
    await sleep((options.pauses?.[module.testModule] ?? 0) * 1000);
    const id = await suite.start(plan.id, module).catch((error: Error) => error);
    if (id instanceof Error) {
      yield notRun(suite, plan, module, id.message);
      continue;
    }
    const outcome = await watchModule(suite, id, module, options);
    const isListed = (await suite.modules(plan.id))[at]?.instances?.includes(id) === true;
    yield isListed ? outcome : notRun(suite, plan, module, 'The suite does not list this run in the plan.');
  }
}

async function watchModule(suite: Suite, id: string, module: SuiteModule, options: RunOptions): Promise<ModuleOutcome> {
  const end = Date.now() + options.patience * 1000;
  let state = await suite.state(id);
  let isWaiting = true;
  let mistake: string | undefined;
  while (!DONE.includes(state.status) && Date.now() < end) {
    if (isWaiting && state.status === 'CONFIGURED') {
      isWaiting = false;
      if (await options.meanwhile?.(module.testModule)) await suite.resume(id);
    }
    if (isWaiting && options.visit && state.status === 'WAITING') {
      isWaiting = false;
      await options.visit(module.testModule).catch((error: Error) => (mistake = error.message));
    }
    await sleep(options.interval * 1000);
    state = await suite.state(id);
  }
  const isLate = !DONE.includes(state.status);
  if (isLate) await suite.stop(id);
  const complaints = (await suite.log(id)).filter(isComplaint);
  return {
    module: module.testModule,
    // The suite does not see what the client does after its last request.
    result: mistake === undefined ? (state.result ?? 'UNKNOWN') : 'FAILED',
    ending: isLate ? 'TIMEOUT' : state.status === 'INTERRUPTED' ? 'INTERRUPTED' : 'FINISHED',
    conditions: [...new Set(complaints.map(({ src }) => src))],
    messages: [
      ...complaints.map(({ src, result, msg = '' }) => `${result} ${src}: ${msg}`),
      ...(mistake === undefined ? [] : [mistake]),
    ],
    log: `${suite.url}/log-detail.html?log=${id}`,
  };
}

const notRun = (suite: Suite, plan: SuitePlan, { testModule }: SuiteModule, message: string): ModuleOutcome => ({
  module: testModule,
  result: 'UNKNOWN',
  ending: 'NOT RUN',
  conditions: [],
  messages: [message],
  log: `${suite.url}/plan-detail.html?plan=${plan.id}`,
});

const isComplaint = ({ result }: LogEntry) => result === 'FAILURE' || result === 'WARNING';
