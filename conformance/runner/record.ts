import type { PlanResult } from './campaign.js';
import type { Judged } from './judge.js';

/** When, and by what it was judged. */
export interface Circumstances {
  suite: string;
  date: string;
  platform: string;
}

const ROWS = /(<!-- results[^>]*-->\n\n)([\s\S]*?)(\n\n<!-- end -->)/;
const REASONS = /(<!-- reasons[^>]*-->\n\n)([\s\S]*?)(\n\n<!-- end -->)/;
const HEAD = ['plan', 'variant', 'modules', 'passed', 'otherwise, as explained', 'failed', 'suite', 'platform', 'date'];
const WHY_HEAD = ['plan', 'module', 'result', 'why'];

/** The page with the results of these plans on this platform in place of what it said of them; what it says of others stays. */
export function record(page: string, results: readonly PlanResult[], circumstances: Circumstances): string {
  const names = new Set(results.map(({ plan }) => code(plan.name)));
  const isRun = ([name = '']: readonly string[]) => names.has(name);
  const isHere = (row: readonly string[]) => row[HEAD.indexOf('platform')] === circumstances.platform;
  return page
    .replace(ROWS, (_, head: string, old: string, end: string) => {
      const rows = results.map((result) => rowOf(result, circumstances));
      return head + table(HEAD, [...others(old, (row) => isRun(row) && isHere(row)), ...rows]) + end;
    })
    .replace(REASONS, (_, head: string, old: string, end: string) => {
      const rows = results.flatMap(({ plan, modules }) =>
        modules.filter(isOtherwise).map((one) => whyOf(plan.name, one)),
      );
      return head + table(WHY_HEAD, [...others(old, isRun), ...rows]) + end;
    });
}

const code = (text: string) => `\`${text}\``;
const isOtherwise = ({ result }: Judged) => result !== 'PASSED';

function rowOf({ plan, modules }: PlanResult, { suite, date, platform }: Circumstances): string[] {
  const bad = modules.filter(({ isGood }) => !isGood).length;
  const passed = modules.filter(({ isGood, result }) => isGood && result === 'PASSED').length;
  const variant = Object.entries(plan.variant).map(([name, value]) => `${name}: ${value}`);
  const counts = [modules.length, passed, modules.length - passed - bad, bad].map(String);
  return [code(plan.name), [plan.plan, ...variant].join(', '), ...counts, suite, platform, date];
}

const whyOf = (name: string, { module, result, why = 'not explained: it has failed' }: Judged) => [
  code(name),
  module,
  result,
  why,
];

/** The rows of a table that stay. */
const others = (old: string, isOver: (row: readonly string[]) => boolean): string[][] =>
  old
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter((row) => row.length > 0 && !isOver(row));

const nameOf = ([name = '']: readonly string[]) => name.replaceAll('`', '');

/** A table as Prettier lays it out, by the names of the plans. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const sorted = rows.toSorted((one, other) =>
    nameOf(one) < nameOf(other) ? -1 : nameOf(one) > nameOf(other) ? 1 : 0,
  );
  const widths = head.map((title, at) =>
    Math.max(3, ...[title, ...sorted.map((row) => row[at] ?? '')].map((cell) => cell.length)),
  );
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (row[at] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...sorted.map(line)].join('\n');
}
