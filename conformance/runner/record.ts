import type { PlanResult } from './campaign.js';
import type { Judged } from './judge.js';

/** The circumstances of a run. */
export interface Circumstances {
  /** Version of the suite. */
  suite: string;
  /** The commit of this repository that ran. */
  commit: string;
  date: string;
  platform: string;
  /** Version of Node.js. */
  node: string;
}

/** The recorded results of a plan on a platform. */
export interface RecordedPlan extends Circumstances {
  plan: string;
  /** The suite's name of the plan and the variants, followed by the server's options if they differ. */
  variant: string;
  /** Number of modules that the suite lists for the plan. */
  modules: number;
  /** Number of modules by the suite's own result. */
  results: Readonly<Record<string, number>>;
  /** Modules that did not finish: never started, interrupted without a result, or stopped after a timeout. */
  unfinished: number;
  /** The modules that did not pass. */
  others: readonly RecordedModule[];
}

/** A module whose result is not `PASSED`. */
export interface RecordedModule {
  module: string;
  result: string;
  why: string;
}

const NOT_EXPLAINED = 'This result is not expected.';
/** Maximum number of plans that a reason lists by name. */
const MAX_NAMES = 4;
/** The results of the suite, as the page lists them. */
const RESULTS = ['PASSED', 'REVIEW', 'SKIPPED', 'WARNING', 'FAILED'];

/** Returns the records with this result in place of the previous one of the same plan on the same platform. */
export function withResult(
  records: readonly RecordedPlan[],
  { plan, modules }: PlanResult,
  circumstances: Circumstances,
): RecordedPlan[] {
  const variants = Object.entries(plan.variant).map(([name, value]) => `${name}: ${value}`);
  const counted = modules.filter(isCounted);
  const record: RecordedPlan = {
    plan: plan.name,
    variant: [plan.plan, ...variants, ...(plan.note === undefined ? [] : [plan.note])].join(', '),
    ...circumstances,
    modules: modules.length,
    results: Object.fromEntries(
      RESULTS.map((result) => [result, counted.filter((module) => module.result === result).length]),
    ),
    unfinished: modules.length - counted.length,
    others: unique(modules.filter((module) => module.result !== 'PASSED' || !isCounted(module)).map(recorded)),
  };
  const isOther = (one: RecordedPlan) => one.plan !== record.plan || one.platform !== record.platform;
  return [...records.filter(isOther), record].toSorted((one, other) => compare(keyOf(one), keyOf(other)));
}

/**
 * A module that failed and was interrupted counts as failed. A module that stopped with any other result is unfinished.
 */
const isCounted = ({ ending, result }: Judged) => ending === 'FINISHED' || result === 'FAILED';

const recorded = (module: Judged): RecordedModule => ({
  module: module.module,
  result: isCounted(module) ? module.result : module.ending,
  why: module.why ?? NOT_EXPLAINED,
});

/** A module runs several times in plans with several response types. */
const unique = (modules: readonly RecordedModule[]): RecordedModule[] => [
  ...new Map(modules.map((one) => [JSON.stringify(one), one])).values(),
];

const keyOf = ({ plan, platform }: RecordedPlan) => `${plan} ${platform}`;
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Returns the page with tables of these records in place of its tables. */
export function render(page: string, records: readonly RecordedPlan[]): string {
  const [clients, servers] = [true, false].map((isWanted) => records.filter((one) => isOfClient(one) === isWanted));
  return replaced(
    replaced(replaced(page, 'results', tableOf(servers!)), 'relying party', tableOf(clients!)),
    'reasons',
    table(['Module', 'Result', 'Plans', 'Reason'], reasonsOf(records)),
  );
}

/** Whether the suite's plan is for clients. Their names contain `-client-`. */
const isOfClient = ({ variant }: RecordedPlan) => variant.split(',')[0]!.includes('-client-');

/** Returns the sums, and a table with one row for each plan. Platforms with other results have rows of their own. */
function tableOf(records: readonly RecordedPlan[]): string {
  const plans = new Map<string, RecordedPlan[]>();
  for (const record of records) {
    const { plan, variant, modules, results, unfinished } = record;
    const key = JSON.stringify([plan, variant, modules, results, unfinished]);
    plans.set(key, [...(plans.get(key) ?? []), record]);
  }
  const rows = [...plans.values()].map((runs) => {
    const [{ plan, variant, results, unfinished }] = runs as [RecordedPlan];
    const counts: [number, string][] = RESULTS.map((result) => [results[result] ?? 0, result]);
    const found = [...counts, [unfinished, 'not finished'] as const].filter(([count]) => count > 0);
    const places = runs.map(({ platform, commit, date }) => `${platform} \`${commit}\` ${date}`);
    return [`\`${plan}\``, variant, found.map((count) => count.join(' ')).join(', '), places.join(', ')];
  });
  return `${sumsOf(records)}\n\n${table(['Plan', 'Variant', 'Modules', 'Platform, commit and date'], rows)}`;
}

/** Returns the sentences with the sums of all records, and with the versions that ran. */
function sumsOf(records: readonly RecordedPlan[]): string {
  const sum = (countOf: (one: RecordedPlan) => number) =>
    records.reduce((total, one) => total + countOf(one), 0).toLocaleString('en');
  const different = (valueOf: (one: RecordedPlan) => string) => [...new Set(records.map(valueOf))];
  const counts = RESULTS.map((result) => `${sum(({ results }) => results[result] ?? 0)} ${result}`);
  const runs = `${different(({ plan }) => plan).length} plans, ${records.length} runs, ${sum(({ modules }) => modules)} modules`;
  const versions = `Suite ${different(({ suite }) => suite).join(', ')}, Node.js ${different(({ node }) => node).join(', ')}.`;
  return `${runs}: ${counts.join(', ')}, ${sum(({ unfinished }) => unfinished)} not finished. ${versions}`;
}

/** One row for each module, result and reason, with the plans that share it. */
function reasonsOf(records: readonly RecordedPlan[]): string[][] {
  const plans = new Map<string, Set<string>>();
  for (const { plan, others } of records) {
    for (const { module, result, why } of others) {
      const key = JSON.stringify([module, result, why]);
      plans.set(key, (plans.get(key) ?? new Set()).add(`\`${plan}\``));
    }
  }
  return [...plans]
    .map(([key, names]) => {
      const [module, result, why] = JSON.parse(key) as [string, string, string];
      return [`\`${module}\``, result, shortened([...names]), why];
    })
    .toSorted((one, other) => compare(one.join(' '), other.join(' ')));
}

/** Returns the first names of a list, and the number of the others. */
const shortened = (names: readonly string[]): string =>
  names.length <= MAX_NAMES
    ? names.join(', ')
    : `${names.slice(0, MAX_NAMES - 1).join(', ')} and ${names.length - MAX_NAMES + 1} more`;

const replaced = (page: string, name: string, text: string) =>
  page.replace(
    new RegExp(`(<!-- ${name}[^>]*-->\\n\\n)[\\s\\S]*?(\\n\\n<!-- end -->)`),
    (_, start: string, end: string) => [start, text, end].join(''),
  );

/** A Markdown table. Prettier aligns it. */
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
