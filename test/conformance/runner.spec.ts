import type { OAuth2Server } from 'nest-oauth2';
import { afterEach, describe, expect, it } from '@jest/globals';

import type { ConformancePlan } from '../../conformance/plans/plan.js';
import { runCampaign } from '../../conformance/runner/campaign.js';
import type { Expectation } from '../../conformance/runner/judge.js';
import { Suite } from '../../conformance/runner/suite.js';
import { type Fate, FakeSuite } from './fake-suite.js';

const ended = (result: string, log: Fate['log'] = []): Fate => ({ states: [{ status: 'FINISHED', result }], log });
const complaint = (src: string, result = 'WARNING') => ({ src, result, msg: `${src} is not so` });

const plan: ConformancePlan = {
  name: 'ours',
  plan: 'the-plan',
  variant: { openid: 'plain_oauth' },
  without: { 'left-out': 'it asks for something that nobody wants' },
  prepare: ({ suite, issuer }) =>
    Promise.resolve({ host: { clients: [] }, configuration: { alias: 'ours', suite, server: { issuer } } }),
};

let fake: FakeSuite;
/** Nothing is asked of it here. */
const server = { name: 'ours' } as unknown as OAuth2Server;

afterEach(() => fake.stop());

async function run(
  modules: Record<string, Fate>,
  expectations: readonly Expectation[] = [],
  given: Partial<ConformancePlan> = {},
) {
  fake = new FakeSuite(modules);
  await fake.start();
  const lines: string[] = [];
  const servers: string[] = [];
  const results = await runCampaign(new Suite(fake.url), [{ ...plan, ...given }], {
    issuer: 'https://server.example',
    expectations,
    wants: (module) => module !== 'unwanted',
    // However busy the machine is, what ends does so in time; what does not must not be waited for.
    patience: Object.keys(modules).includes('stuck') ? 0.02 : 10,
    interval: 0.001,
    serve: () => {
      servers.push('started');
      return Promise.resolve({ server, stop: () => Promise.resolve(servers.push('stopped')) });
    },
    print: (line) => void lines.push(line),
  }).catch((error: Error) => error);
  return { lines, servers, results, closing: lines.at(-1) };
}

describe('npm run conformance', () => {
  it('runs each module, waits until it has ended, and counts those that passed', async () => {
    const slow = { states: [{ status: 'CREATED' }, { status: 'RUNNING' }, { status: 'FINISHED', result: 'PASSED' }] };
    const { lines, servers } = await run({ first: ended('PASSED'), slow });
    expect(lines).toEqual([
      `ours: ${fake.url}/plan-detail.html?plan=plan-1`,
      '  ok PASSED first',
      '  ok PASSED slow',
      '2 passed, 0 failed',
    ]);
    expect(servers).toEqual(['started', 'stopped']);
  });

  it('tells the suite what the plan leaves open, and of our server', async () => {
    await run({ first: ended('PASSED') });
    expect(fake.created).toEqual([
      {
        variant: { openid: 'plain_oauth' },
        configuration: { alias: 'ours', suite: fake.url, server: { issuer: 'https://server.example' } },
      },
    ]);
  });

  it.each(['FAILED', 'WARNING', 'REVIEW', 'SKIPPED'])('counts %s as failed where nobody expects it', async (result) => {
    const { lines } = await run({ odd: ended(result, [complaint('CheckSomething')]) });
    expect(lines.slice(1)).toEqual([
      `  NOT OK ${result} odd`,
      '      WARNING CheckSomething: CheckSomething is not so',
      `      ${fake.url}/log-detail.html?log=odd`,
      '0 passed, 1 failed',
    ]);
  });

  it('takes what is expected, and says why', async () => {
    const expected = [{ module: 'odd', result: 'WARNING', conditions: ['CheckSomething'], why: 'we like it so' }];
    const { lines } = await run({ odd: ended('WARNING', [complaint('CheckSomething')]) }, expected);
    expect(lines.slice(1)).toEqual(['  ok WARNING odd (we like it so)', '1 passed, 0 failed']);
  });

  it.each<[string, Fate]>([
    ['another condition does not hold', ended('WARNING', [complaint('CheckAnother')])],
    ['one more does not hold', ended('WARNING', [complaint('CheckSomething'), complaint('CheckAnother')])],
    ['it has come to something worse', ended('FAILED', [complaint('CheckSomething', 'FAILURE')])],
    ['it passes by now', ended('PASSED')],
  ])('does not take it for what is expected if %s', async (_, fate) => {
    const expected = [{ module: 'odd', result: 'WARNING', conditions: ['CheckSomething'], why: 'we like it so' }];
    expect((await run({ odd: fate }, expected)).closing).toBe('0 passed, 1 failed');
  });

  it('expects of one plan what it does not of another', async () => {
    const expected = [{ plans: ['theirs'], module: 'odd', result: 'SKIPPED', why: 'there it is so' }];
    expect((await run({ odd: ended('SKIPPED') }, expected)).closing).toBe('0 passed, 1 failed');
  });

  it('stops a module that does not end, and counts it as failed', async () => {
    const { lines, closing } = await run({ stuck: { states: [{ status: 'WAITING' }] }, next: ended('PASSED') });
    expect(fake.calls).toContain('DELETE /api/runner/stuck');
    expect(lines[1]).toBe('  NOT OK TIMEOUT stuck');
    expect(closing).toBe('1 passed, 1 failed');
  });

  it('counts a module that broke off as failed, whatever its result', async () => {
    const { lines } = await run({ broken: { states: [{ status: 'INTERRUPTED', result: 'PASSED' }] } });
    expect(lines[1]).toBe('  NOT OK INTERRUPTED broken');
  });

  it('leaves out what the plan or the command leaves out', async () => {
    const { closing } = await run({ 'left-out': ended('FAILED'), unwanted: ended('FAILED'), first: ended('PASSED') });
    expect(closing).toBe('1 passed, 0 failed');
  });

  it('does at the server what a module waits for, once, and lets it go on', async () => {
    const done: unknown[] = [];
    const states = [{ status: 'CONFIGURED' }, { status: 'CONFIGURED' }, { status: 'FINISHED', result: 'PASSED' }];
    const prepare: ConformancePlan['prepare'] = () =>
      Promise.resolve({
        host: { clients: [] },
        configuration: {},
        meanwhile: { waits: (given) => Promise.resolve(done.push(given)) },
      });
    const { closing } = await run({ waits: { states }, starts: { states } }, [], { prepare });
    expect({ done, closing }).toEqual({ done: [server], closing: '2 passed, 0 failed' });
    expect(fake.calls.filter((call) => call.startsWith('POST /api/runner/'))).toEqual(['POST /api/runner/waits']);
  });

  it('lets time pass before a module that wants it', async () => {
    const start = performance.now();
    await run({ first: ended('PASSED') }, [], { pauses: { first: 0.05, another: 60 } });
    expect(performance.now() - start).toBeGreaterThanOrEqual(49);
  });

  it('stops the server, and says what the suite said, where that refuses the plan', async () => {
    const { results, servers } = await run({}, [], { plan: 'no-plan' });
    expect(results).toMatchObject({ message: expect.stringMatching(/POST api\/plan.* 404 .*no such thing/) });
    expect(servers).toEqual(['started', 'stopped']);
  });
});
