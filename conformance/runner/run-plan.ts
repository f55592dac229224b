import { setTimeout as sleep } from 'node:timers/promises';

import type { LogEntry, Suite, SuiteModule } from './suite.js';

/** What became of a module. */
export interface ModuleOutcome {
  module: string;
  /** Of the suite: `PASSED`, `WARNING`, `REVIEW`, `SKIPPED`, `FAILED`; or `INTERRUPTED`, or `TIMEOUT` where it had to be stopped. */
  result: string;
  /** The conditions that did not hold, each once. */
  conditions: string[];
  /** What they said, to be read by a person. */
  messages: string[];
  /** Where the suite shows all of it. */
  log: string;
}

/** How a plan is run. */
export interface RunOptions {
  /** Is this module to be run? */
  wants: (module: string) => boolean;
  /** Seconds that a module may take; some wait for a code to expire. */
  patience: number;
  /** Seconds between two looks. */
  interval: number;
  /** Seconds to let pass before a module. */
  pauses?: Readonly<Record<string, number>>;
  /** Does what a module waits for; false: none does. */
  meanwhile?: (module: string) => Promise<boolean>;
}

const DONE = ['FINISHED', 'INTERRUPTED'];

/** Runs the modules of a plan one after the other, as those must be which share an alias. */
export async function* runPlan(
  suite: Suite,
  plan: { id: string; modules: readonly SuiteModule[] },
  options: RunOptions,
): AsyncGenerator<ModuleOutcome> {
  for (const module of plan.modules) {
    if (options.wants(module.testModule)) yield await runModule(suite, plan.id, module, options);
  }
}

async function runModule(suite: Suite, plan: string, module: SuiteModule, options: RunOptions): Promise<ModuleOutcome> {
  await sleep((options.pauses?.[module.testModule] ?? 0) * 1000);
  const id = await suite.start(plan, module);
  const end = Date.now() + options.patience * 1000;
  let state = await suite.state(id);
  let isWaiting = true;
  while (!DONE.includes(state.status) && Date.now() < end) {
    if (isWaiting && state.status === 'CONFIGURED') {
      isWaiting = false;
      if (await options.meanwhile?.(module.testModule)) await suite.resume(id);
    }
    await sleep(options.interval * 1000);
    state = await suite.state(id);
  }
  const isLate = !DONE.includes(state.status);
  if (isLate) await suite.stop(id);
  const complaints = (await suite.log(id)).filter(isComplaint);
  return {
    module: module.testModule,
    result: isLate ? 'TIMEOUT' : state.status === 'INTERRUPTED' ? 'INTERRUPTED' : (state.result ?? 'UNKNOWN'),
    conditions: [...new Set(complaints.map(({ src }) => src))],
    messages: complaints.map(({ src, result, msg = '' }) => `${result} ${src}: ${msg}`),
    log: `${suite.url}/log-detail.html?log=${id}`,
  };
}

const isComplaint = ({ result }: LogEntry) => result === 'FAILURE' || result === 'WARNING';
