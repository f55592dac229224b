import type { OAuth2Server } from 'nest-oauth2';

import type { HostSettings } from '../host/host.js';
import type { ConformancePlan } from '../plans/plan.js';
import { type Expectation, judge, type Judged } from './judge.js';
import { runPlan, type RunOptions } from './run-plan.js';
import type { Suite } from './suite.js';

/** The results of a plan, one for each of its modules. */
export interface PlanResult {
  plan: ConformancePlan;
  modules: Judged[];
}

/** A server that was started. */
export interface Served {
  server: OAuth2Server;
  stop(): Promise<unknown>;
}

export interface CampaignOptions extends Omit<RunOptions, 'meanwhile' | 'pauses' | 'visit'> {
  /** The issuers of the servers. As many plans run at the same time, each with one of them. */
  issuers: readonly string[];
  expectations: readonly Expectation[];
  /** Starts the server under test. */
  serve: (settings: HostSettings, issuer: string) => Promise<Served>;
  /** The platform of the applications. Default: `express`. */
  platform?: 'express' | 'fastify';
  print: (line: string) => void;
  /** Called for each plan when all its modules have ended. */
  finished?: (result: PlanResult) => Promise<unknown>;
}

/** Runs plans, each against its own server. A plan that breaks off has no results, and does not stop the others. */
export async function runCampaign(
  suite: Suite,
  plans: readonly ConformancePlan[],
  options: CampaignOptions,
): Promise<PlanResult[]> {
  const results: PlanResult[] = [];
  const waiting = [...plans];
  await Promise.all(
    options.issuers.map(async (issuer) => {
      for (let plan = waiting.shift(); plan; plan = waiting.shift()) {
        const result = { plan, modules: await runOne(suite, plan, issuer, options).catch(broken(plan, options)) };
        results.push(result);
        if (result.modules.length > 0) await options.finished?.(result);
      }
    }),
  );
  const modules = results.flatMap((result) => result.modules);
  const unexpected = modules.filter(({ isGood }) => !isGood).length;
  const lost = results.filter((result) => result.modules.length === 0).length;
  const closing = `${modules.length} modules (${countsOf(modules)}), ${unexpected} not as expected`;
  options.print(lost === 0 ? closing : `${closing}, ${lost} plans without results`);
  return results;
}

/** The number of modules by result, such as `PASSED 47, REVIEW 3`. */
const countsOf = (modules: readonly Judged[]) =>
  [...new Set(modules.map(({ result }) => result))]
    .map((result) => `${result} ${modules.filter((module) => module.result === result).length}`)
    .join(', ');

const broken =
  ({ name }: ConformancePlan, { print }: CampaignOptions) =>
  (error: Error): Judged[] => {
    print(`  NOT OK ${name}: ${error.message}`);
    return [];
  };

async function runOne(
  suite: Suite,
  plan: ConformancePlan,
  issuer: string,
  options: CampaignOptions,
): Promise<Judged[]> {
  const { expectations, serve, print, platform } = options;
  const stage = { issuer, suite: suite.url, ...(platform && { platform }) };
  const { host, configuration, meanwhile = {}, visit } = await plan.prepare(stage);
  const served = host && (await serve(host, issuer));
  const doMeanwhile = async (module: string) => {
    if (served) await meanwhile[module]?.(served.server);
    return module in meanwhile;
  };
  try {
    const created = await suite.createPlan(plan.plan, plan.variant, configuration);
    print(`${plan.name}: ${suite.url}/plan-detail.html?plan=${created.id}`);
    const judged: Judged[] = [];
    const run = {
      ...options,
      meanwhile: doMeanwhile,
      ...(visit && { visit }),
      ...(plan.pauses && { pauses: plan.pauses }),
    };
    for await (const outcome of runPlan(suite, created, run)) {
      judged.push(judge(outcome, plan.name, expectations));
      report(plan.name, judged.at(-1)!, print);
    }
    return judged;
  } finally {
    await served?.stop();
  }
}

function report(
  plan: string,
  { isGood, result, ending, module, messages, why, log }: Judged,
  print: (line: string) => void,
): void {
  const how = ending === 'FINISHED' ? result : `${result} (${ending})`;
  print(`  ${isGood ? 'ok' : 'NOT OK'} ${how} ${plan} ${module}${why === undefined ? '' : ` (${why})`}`);
  if (!isGood) for (const line of [...messages, log]) print(`      ${line}`);
}
