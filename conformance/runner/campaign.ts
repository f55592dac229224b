import type { OAuth2Server } from 'nest-oauth2';

import type { ConformancePlan, Prepared } from '../plans/plan.js';
import { type Expectation, judge, type Judged } from './judge.js';
import { runPlan, type RunOptions } from './run-plan.js';
import type { Suite } from './suite.js';

/** What a run of a plan came to. */
export interface PlanResult {
  plan: ConformancePlan;
  modules: Judged[];
}

/** A server that has been started. */
export interface Served {
  server: OAuth2Server;
  stop(): Promise<unknown>;
}

export interface CampaignOptions extends Omit<RunOptions, 'meanwhile' | 'pauses'> {
  issuer: string;
  expectations: readonly Expectation[];
  /** Starts the server that is judged. */
  serve: (settings: Prepared['host']) => Promise<Served>;
  print: (line: string) => void;
}

/** Runs plans, each before a server of its own. */
export async function runCampaign(
  suite: Suite,
  plans: readonly ConformancePlan[],
  options: CampaignOptions,
): Promise<PlanResult[]> {
  const results: PlanResult[] = [];
  for (const plan of plans) results.push({ plan, modules: await runOne(suite, plan, options) });
  const modules = results.flatMap((result) => result.modules);
  const passed = modules.filter(({ isGood }) => isGood).length;
  options.print(`${passed} passed, ${modules.length - passed} failed`);
  return results;
}

async function runOne(suite: Suite, plan: ConformancePlan, options: CampaignOptions): Promise<Judged[]> {
  const { issuer, expectations, serve, print } = options;
  const { host, configuration, meanwhile = {} } = await plan.prepare({ issuer, suite: suite.url });
  const served = await serve(host);
  const doMeanwhile = async (module: string) => {
    await meanwhile[module]?.(served.server);
    return module in meanwhile;
  };
  try {
    const created = await suite.createPlan(plan.plan, plan.variant, configuration);
    print(`${plan.name}: ${suite.url}/plan-detail.html?plan=${created.id}`);
    const wants = (module: string) => plan.without?.[module] === undefined && options.wants(module);
    const judged: Judged[] = [];
    const run = { ...options, wants, meanwhile: doMeanwhile, ...(plan.pauses && { pauses: plan.pauses }) };
    for await (const outcome of runPlan(suite, created, run)) {
      judged.push(judge(outcome, plan.name, expectations));
      say(judged.at(-1)!, print);
    }
    return judged;
  } finally {
    await served.stop();
  }
}

function say({ isGood, result, module, messages, why, log }: Judged, print: (line: string) => void): void {
  print(`  ${isGood ? 'ok' : 'NOT OK'} ${result} ${module}${why === undefined ? '' : ` (${why})`}`);
  if (!isGood) for (const line of [...messages, log]) print(`      ${line}`);
}
