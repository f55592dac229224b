import { readFile } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';

import { ALL_PLANS } from '../../conformance/plans/index.js';
import type { ConformancePlan } from '../../conformance/plans/plan.js';
import type { PlanResult } from '../../conformance/runner/campaign.js';
import type { Judged } from '../../conformance/runner/judge.js';
import { type RecordedPlan, render, withResult } from '../../conformance/runner/record.js';

const EMPTY = `# Conformance

<!-- results, by a run -->

| plan |

<!-- end -->

Text between the tables.

<!-- reasons, by a run -->

| plan |

<!-- end -->
`;

const module = (result: string, rest: Partial<Judged> = {}): Judged => ({
  module: `does-${result}`,
  result,
  ending: 'FINISHED',
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

const circumstances = { suite: '5.1.43', commit: '0123456', date: '2026-01-02', platform: 'express', node: 'v24.0.0' };

/** Returns the cells of the table rows that contain a text. */
const rowsWith = (page: string, text: string) =>
  page
    .split('\n')
    .filter((line) => line.startsWith('|') && line.includes(text))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe('docs/explanation/conformance.md', () => {
  it('counts modules by their result, and names platforms, commits, dates and versions', () => {
    const modules = [
      module('PASSED'),
      module('PASSED'),
      module('REVIEW', { why: 'A person looks at it.' }),
      module('SKIPPED', { why: 'Not supported.' }),
      module('FAILED', { isGood: false }),
      module('FAILED', { isGood: false, ending: 'INTERRUPTED' }),
      module('PASSED', { isGood: false, ending: 'TIMEOUT' }),
      module('UNKNOWN', { isGood: false, ending: 'NOT RUN' }),
    ];
    const page = render(EMPTY, withResult([], result('one', modules), circumstances));
    const [counts, ...others] = rowsWith(page, '`one`');
    expect(counts).toEqual([
      '`one`',
      'the-plan, openid: plain_oauth',
      '2 PASSED, 1 REVIEW, 1 SKIPPED, 2 FAILED, 2 not finished',
      'express `0123456` 2026-01-02',
    ]);
    expect(page).toContain(
      '1 plans, 1 runs, 8 modules: 2 PASSED, 1 REVIEW, 1 SKIPPED, 0 WARNING, 2 FAILED, 2 not finished. Suite 5.1.43, Node.js v24.0.0.',
    );
    expect(others).toEqual([
      ['`does-FAILED`', 'FAILED', '`one`', 'This result is not expected.'],
      ['`does-PASSED`', 'TIMEOUT', '`one`', 'This result is not expected.'],
      ['`does-REVIEW`', 'REVIEW', '`one`', 'A person looks at it.'],
      ['`does-SKIPPED`', 'SKIPPED', '`one`', 'Not supported.'],
      ['`does-UNKNOWN`', 'NOT RUN', '`one`', 'This result is not expected.'],
    ]);
    expect(page).toContain('Text between the tables.');
  });

  it('replaces the recorded results of a plan only for the same platform', () => {
    const first = withResult([], result('one', [module('SKIPPED', { why: 'Not supported.' })]), circumstances);
    const second = withResult(first, result('two', [module('REVIEW', { why: 'A page.' })]), circumstances);
    const third = withResult(second, result('one', [module('PASSED')]), { ...circumstances, commit: '89abcde' });
    const fourth = withResult(third, result('one', [module('PASSED')]), { ...circumstances, platform: 'fastify' });
    expect(fourth.map(({ plan, platform, commit }) => [plan, platform, commit])).toEqual([
      ['one', 'express', '89abcde'],
      ['one', 'fastify', '0123456'],
      ['two', 'express', '0123456'],
    ]);
    expect(rowsWith(render(EMPTY, fourth), 'SKIPPED')).toEqual([]);
  });

  it('joins the platforms of a plan in one row if their results are equal', () => {
    const rows = (other: Judged) => {
      const express = withResult([], result('one', [module('PASSED')]), circumstances);
      const both = withResult(express, result('one', [other]), { ...circumstances, platform: 'fastify' });
      return rowsWith(render(EMPTY, both), '`one`').map((cells) => cells.at(-1));
    };
    expect(rows(module('PASSED'))).toEqual(['express `0123456` 2026-01-02, fastify `0123456` 2026-01-02']);
    expect(rows(module('REVIEW')).slice(0, 2)).toEqual([
      'express `0123456` 2026-01-02',
      'fastify `0123456` 2026-01-02',
    ]);
  });

  it('lists a module once with all plans that share its result and reason', () => {
    const modules = [module('REVIEW', { why: 'A page.' }), module('REVIEW', { why: 'A page.' })];
    const records = ['one', 'two'].reduce<RecordedPlan[]>(
      (all, name) => withResult(all, result(name, modules), circumstances),
      [],
    );
    expect(rowsWith(render(EMPTY, records), 'does-REVIEW')).toEqual([
      ['`does-REVIEW`', 'REVIEW', '`one`, `two`', 'A page.'],
    ]);
    const names = ['1', '2', '3', '4', '5', '6'];
    const many = names.reduce<RecordedPlan[]>((all, name) => withResult(all, result(name, modules), circumstances), []);
    expect(rowsWith(render(EMPTY, many), 'does-REVIEW')[0]![2]).toBe('`1`, `2`, `3` and 3 more');
  });

  it('lists plans for clients in a table of their own', () => {
    const clients = result('rp-one', [module('PASSED')]);
    const plan = { ...clients.plan, plan: 'oidcc-client-basic-certification-test-plan' };
    const records = withResult(withResult([], { ...clients, plan }, circumstances), result('one', []), circumstances);
    const page = render(`${EMPTY}\n<!-- relying party, by a run -->\n\n| plan |\n\n<!-- end -->\n`, records);
    const [before, after] = page.split('<!-- relying party');
    expect([before, after].map((part) => rowsWith(part!, '`').map(([name]) => name))).toEqual([
      ['`one`'],
      ['`rp-one`'],
    ]);
  });

  it('has the results of all plans of the runner on Express and on Fastify', async () => {
    const records = JSON.parse(await readFile('conformance/results.json', 'utf8')) as RecordedPlan[];
    const runs = ALL_PLANS.flatMap(({ name }) => [`${name} express`, `${name} fastify`]);
    expect(records.map(({ plan, platform }) => `${plan} ${platform}`)).toEqual(runs.toSorted());
  });

  it('equals the page rendered from conformance/results.json', async () => {
    const page = await readFile('docs/explanation/conformance.md', 'utf8');
    const records = JSON.parse(await readFile('conformance/results.json', 'utf8')) as RecordedPlan[];
    const cells = (text: string) => text.replaceAll(/-+/g, '-').replaceAll(/ +/g, ' ');
    expect(cells(page)).toBe(cells(render(page, records)));
  });
});
