import { readFile } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';

import type { ConformancePlan } from '../../conformance/plans/plan.js';
import type { PlanResult } from '../../conformance/runner/campaign.js';
import type { Judged } from '../../conformance/runner/judge.js';
import { record } from '../../conformance/runner/record.js';

const EMPTY = `# Conformance

<!-- results, by a run -->

| plan |
| ---- |

<!-- end -->

Some words between them.

<!-- reasons, by a run -->

| plan |
| ---- |

<!-- end -->
`;

const module = (result: string, rest: Partial<Judged> = {}): Judged => ({
  module: `does-${result}`,
  result,
  conditions: [],
  messages: [],
  log: '',
  isGood: true,
  ...rest,
});

const result = (name: string, modules: Judged[]): PlanResult => ({
  plan: { name, plan: 'the-plan', variant: { openid: 'plain_oauth' } } as unknown as ConformancePlan,
  modules,
});

const circumstances = { suite: '5.1.43', date: '2026-01-02', platform: 'express' };

/** The cells of the rows of a plan, in both tables. */
const rowsOf = (page: string, name: string) =>
  page
    .split('\n')
    .filter((line) => line.startsWith(`| \`${name}\``))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe('docs/conformance.md', () => {
  it('says of each plan how many modules came out how, and of each that did not pass why', () => {
    const modules = [
      module('PASSED'),
      module('REVIEW', { why: 'a person has to look' }),
      module('FAILED', { isGood: false }),
    ];
    expect(rowsOf(record(EMPTY, [result('one', modules)], circumstances), 'one')).toEqual([
      ['`one`', 'the-plan, openid: plain_oauth', '3', '1', '1', '1', '5.1.43', 'express', '2026-01-02'],
      ['`one`', 'does-REVIEW', 'REVIEW', 'a person has to look'],
      ['`one`', 'does-FAILED', 'FAILED', 'not explained: it has failed'],
    ]);
  });

  it('keeps what it says of plans that were not run, and forgets what it said of those that were', () => {
    const before = record(
      EMPTY,
      [
        result('one', [module('SKIPPED', { why: 'not done here' })]),
        result('two', [module('REVIEW', { why: 'a page' })]),
      ],
      circumstances,
    );
    const after = record(before, [result('one', [module('PASSED')])], { ...circumstances, date: '2026-02-03' });
    expect(rowsOf(after, 'two')).toEqual(rowsOf(before, 'two'));
    expect(rowsOf(after, 'one')).toEqual([expect.arrayContaining(['1', '2026-02-03'])]);
    expect(after).toContain('Some words between them.');
  });

  it('has a row for each platform that a plan was run on, and says once why something did not pass', () => {
    const results = [result('one', [module('REVIEW', { why: 'a page' })])];
    const both = record(record(EMPTY, results, circumstances), results, { ...circumstances, platform: 'fastify' });
    expect(rowsOf(both, 'one').map((row) => row.slice(-2))).toEqual([
      ['express', '2026-01-02'],
      ['fastify', '2026-01-02'],
      ['REVIEW', 'a page'],
    ]);
  });

  it('has the places where a run writes', async () => {
    const page = await readFile('docs/conformance.md', 'utf8');
    expect(
      rowsOf(record(page, [result('one', [module('REVIEW', { why: 'a page' })])], circumstances), 'one'),
    ).toHaveLength(2);
  });
});
