import type { OAuth2Server } from 'nest-oauth2';
import { afterEach, describe, expect, it } from '@jest/globals';

import type { ConformancePlan } from '../../conformance/plans/plan.js';
import { runCampaign } from '../../conformance/runner/campaign.js';
import type { Expectation } from '../../conformance/runner/judge.js';
import { Suite } from '../../conformance/runner/suite.js';
import { type ModuleOutcome, FakeSuite } from './fake-suite.js';

const ended = (result: string, log: ModuleOutcome['log'] = []): ModuleOutcome => ({
  states: [{ status: 'FINISHED', result }],
  log,
});
const complaint = (src: string, result = 'WARNING') => ({ src, result, msg: `${src} is not so` });

const plan: ConformancePlan = {
  name: 'ours',
  plan: 'the-plan',
  variant: { openid: 'plain_oauth' },
  prepare: ({ suite, issuer }) =>
    Promise.resolve({ host: { clients: [] }, configuration: { alias: 'ours', suite, server: { issuer } } }),
};

const EXPECTED: Expectation = {
  module: 'odd',
  result: 'REVIEW',
  conditions: ['CheckSomething'],
  why: 'a person looks at it',
};

let fake: FakeSuite;
/** The runner passes this object on without calling it. */
const server = { name: 'ours' } as unknown as OAuth2Server;

afterEach(() => fake.stop());

async function run(
  modules: Record<string, ModuleOutcome>,
  expectations: readonly Expectation[] = [],
  given: Partial<ConformancePlan> = {},
  times = 1,
) {
  fake = new FakeSuite(modules);
  await fake.start();
  const lines: string[] = [];
  const servers: string[] = [];
  const results = await runCampaign(
    new Suite(fake.url),
    Array.from({ length: times }, () => ({ ...plan, ...given })),
    {
      issuers: Array.from({ length: times }, () => 'https://server.example'),
      expectations,
      wants: (module) => module !== 'unwanted',
      // Long enough for a busy machine, and short for the module that never finishes.
      patience: Object.keys(modules).includes('stuck') ? 0.02 : 10,
      interval: 0.001,
      serve: () => {
        servers.push('started');
        return Promise.resolve({ server, stop: () => Promise.resolve(servers.push('stopped')) });
      },
      print: (line) => void lines.push(line),
    },
  ).catch((error: Error) => error);
  return { lines, servers, results, closing: lines.at(-1) };
}

describe('the runner of npm run conformance', () => {
  it('runs each module, waits for its end, and counts the modules that passed', async () => {
    const slow = { states: [{ status: 'CREATED' }, { status: 'RUNNING' }, { status: 'FINISHED', result: 'PASSED' }] };
    const { lines, servers } = await run({ first: ended('PASSED'), slow });
    expect(lines).toEqual([
      `ours: ${fake.url}/plan-detail.html?plan=plan-1`,
      '  ok PASSED ours first',
      '  ok PASSED ours slow',
      '2 modules (PASSED 2), 0 not as expected',
    ]);
    expect(servers).toEqual(['started', 'stopped']);
  });

  it('sends the variant of the plan, and its configuration with the server’s settings, to the suite', async () => {
    await run({ first: ended('PASSED') });
    expect(fake.created).toEqual([
      {
        variant: { openid: 'plain_oauth' },
        configuration: { alias: 'ours', suite: fake.url, server: { issuer: 'https://server.example' } },
      },
    ]);
  });

  it.each(['FAILED', 'WARNING', 'REVIEW', 'SKIPPED'])('counts %s as failed without an expectation', async (result) => {
    const { lines } = await run({ odd: ended(result, [complaint('CheckSomething')]) });
    expect(lines.slice(1)).toEqual([
      `  NOT OK ${result} ours odd`,
      '      WARNING CheckSomething: CheckSomething is not so',
      `      ${fake.url}/log-detail.html?log=odd`,
      `1 modules (${result} 1), 1 not as expected`,
    ]);
  });

  it('accepts an expected result and prints the reason', async () => {
    const { lines } = await run({ odd: ended('REVIEW', [complaint('CheckSomething')]) }, [EXPECTED]);
    expect(lines.slice(1)).toEqual([
      '  ok REVIEW ours odd (a person looks at it)',
      '1 modules (REVIEW 1), 0 not as expected',
    ]);
  });

  it.each<[string, ModuleOutcome]>([
    ['another condition failed', ended('REVIEW', [complaint('CheckAnother')])],
    ['an additional condition failed', ended('REVIEW', [complaint('CheckSomething'), complaint('CheckAnother')])],
    ['the result is worse', ended('FAILED', [complaint('CheckSomething', 'FAILURE')])],
    ['the module passes', ended('PASSED')],
    [
      'the module is interrupted',
      { ...ended('REVIEW', [complaint('CheckSomething')]), states: [{ status: 'INTERRUPTED', result: 'REVIEW' }] },
    ],
  ])('rejects a module with an expectation if %s', async (_, fate) => {
    expect((await run({ odd: fate }, [EXPECTED])).closing).toMatch(/, 1 not as expected$/);
  });

  it.each(['FAILED', 'WARNING'])('rejects %s even if an expectation names it', async (result) => {
    const expected = { ...EXPECTED, result } as unknown as Expectation;
    const { closing } = await run({ odd: ended(result, [complaint('CheckSomething')]) }, [expected]);
    expect(closing).toBe(`1 modules (${result} 1), 1 not as expected`);
  });

  it('reports the result FAILED of a module that the suite interrupted', async () => {
    const { lines, results } = await run({ odd: { states: [{ status: 'INTERRUPTED', result: 'FAILED' }] } });
    expect(lines[1]).toBe('  NOT OK FAILED (INTERRUPTED) ours odd');
    expect(results).toMatchObject([{ modules: [{ result: 'FAILED', ending: 'INTERRUPTED', isGood: false }] }]);
  });

  it.each(['refused', 'lost'] as const)('counts a module as not run if its start is %s', async (start) => {
    const { lines, closing } = await run({ odd: { ...ended('PASSED'), start }, next: ended('PASSED') });
    expect(lines).toContain('  NOT OK UNKNOWN (NOT RUN) ours odd');
    expect(closing).toMatch(/, 1 not as expected$/);
  });

  it('repeats a GET request twice if its connection breaks', async () => {
    const { lines } = await run({ first: { ...ended('PASSED'), brokenLogs: 2 } });
    expect(lines[1]).toBe('  ok PASSED ours first');
  });

  it('gives a plan no results if the connection of a GET request breaks three times', async () => {
    const { lines, closing } = await run({ first: { ...ended('PASSED'), brokenLogs: 3 } });
    expect(lines[1]).toBe('  NOT OK ours: fetch failed');
    expect(closing).toBe('0 modules (), 0 not as expected, 1 plans without results');
  });

  it('does not repeat a request that starts a module', async () => {
    await run({ first: { ...ended('PASSED'), start: 'broken' } });
    expect(fake.calls.filter((call) => call === 'POST /api/runner')).toHaveLength(1);
  });

  it('runs as many plans at the same time as there are issuers', async () => {
    const { lines, servers } = await run({ first: ended('PASSED') }, [], {}, 2);
    expect(servers).toEqual(['started', 'started', 'stopped', 'stopped']);
    expect(lines.at(-1)).toBe('2 modules (PASSED 2), 0 not as expected');
  });

  it('applies an expectation only to the plans that it names', async () => {
    const expected: Expectation[] = [{ plans: ['theirs'], module: 'odd', result: 'SKIPPED', why: 'not supported' }];
    expect((await run({ odd: ended('SKIPPED') }, expected)).closing).toMatch(/, 1 not as expected$/);
  });

  it('stops a module that does not end, and counts it as failed', async () => {
    const { lines, closing } = await run({ stuck: { states: [{ status: 'WAITING' }] }, next: ended('PASSED') });
    expect(fake.calls).toContain('DELETE /api/runner/stuck');
    expect(lines[1]).toBe('  NOT OK UNKNOWN (TIMEOUT) ours stuck');
    expect(closing).toBe('2 modules (UNKNOWN 1, PASSED 1), 1 not as expected');
  });

  it('counts an interrupted module as failed even if its result is PASSED', async () => {
    const { lines } = await run({ broken: { states: [{ status: 'INTERRUPTED', result: 'PASSED' }] } });
    expect(lines[1]).toBe('  NOT OK PASSED (INTERRUPTED) ours broken');
  });

  it('skips modules that the command excludes', async () => {
    const { closing } = await run({ unwanted: ended('FAILED'), first: ended('PASSED') });
    expect(closing).toBe('1 modules (PASSED 1), 0 not as expected');
  });

  it('performs the server action that a module waits for only once, and lets the module continue', async () => {
    const done: unknown[] = [];
    const states = [{ status: 'CONFIGURED' }, { status: 'CONFIGURED' }, { status: 'FINISHED', result: 'PASSED' }];
    const prepare: ConformancePlan['prepare'] = () =>
      Promise.resolve({
        host: { clients: [] },
        configuration: {},
        meanwhile: { waits: (given) => Promise.resolve(done.push(given)) },
      });
    const { closing } = await run({ waits: { states }, starts: { states } }, [], { prepare });
    expect({ done, closing }).toEqual({ done: [server], closing: '2 modules (PASSED 2), 0 not as expected' });
    expect(fake.calls.filter((call) => call.startsWith('POST /api/runner/'))).toEqual(['POST /api/runner/waits']);
  });

  it.each([
    ['the client does what it must', Promise.resolve.bind(Promise), '  ok PASSED ours waits'],
    [
      'the client accepts an invalid response',
      () => Promise.reject(new Error('signed in')),
      '  NOT OK FAILED ours waits',
    ],
  ])('signs in once with a client when a module waits for it: %s', async (_, act, line) => {
    const visited: string[] = [];
    const waiting = { status: 'WAITING' };
    const states = [{ status: 'RUNNING' }, waiting, waiting, { status: 'FINISHED', result: 'PASSED' }];
    const visit = async (module: string) => {
      visited.push(module);
      await act();
    };
    const prepare: ConformancePlan['prepare'] = () => Promise.resolve({ configuration: {}, visit });
    const { lines, servers } = await run({ waits: { states } }, [], { prepare });
    expect({ visited, servers, line: lines[1] }).toEqual({ visited: ['waits'], servers: [], line });
  });

  it('pauses before a module with a configured pause', async () => {
    const start = performance.now();
    await run({ first: ended('PASSED') }, [], { pauses: { first: 0.05, another: 60 } });
    expect(performance.now() - start).toBeGreaterThanOrEqual(49);
  });

  it('prints the error of the suite and stops the server if the suite rejects the plan', async () => {
    const { lines, servers, results } = await run({}, [], { plan: 'no-plan' });
    expect(results).toMatchObject([{ modules: [] }]);
    expect(lines[0]).toMatch(/^  NOT OK ours: POST api\/plan.* 404 .*no such thing/);
    expect(lines[1]).toBe('0 modules (), 0 not as expected, 1 plans without results');
    expect(servers).toEqual(['started', 'stopped']);
  });
});
