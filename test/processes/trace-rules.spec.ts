import { describe, expect, it } from '@jest/globals';

import { findBrokenRule, type Step } from './trace-rules.js';

const MINUTE = 60_000;

const text = (version: number, more: object = {}) => JSON.stringify({ sub: 'erin', version: `v${version}`, ...more });
const owned = (owner: string, until: number, more: object = {}) => ({ lease: { owner, until }, ...more });

/** Numbers the steps of processes in the order of time. */
function trace(...steps: readonly object[]): Step[] {
  return steps.map((step, index) => Object.assign({ process: 1 }, step, { at: index }) as unknown as Step);
}

const find = (data: string, expiresIn = 10 * MINUTE) => ({ step: 'find', data, expiresIn });
const call = { step: 'call', token: 'erin:0' };
const answered = (status: number) => ({ step: 'answered', token: 'erin:0', status });
const write = (number: number, from: string, to: string) => [
  { step: 'write', write: number, from, to },
  { step: 'written', write: number, isReplaced: true },
];

const OLD = text(0);
const LEASED = text(0, owned('a', 10 * MINUTE - 15_000));
const NEW = text(1);
/** A lease that a second process takes after the first one was killed, and the end of the tokens. */
const TAKEN = text(0, owned('b', 10 * MINUTE - 30_000, { isInDoubt: true }));
const LOST = text(0, { isInDoubt: true, reconnect: 'lost' });

const LEASE = [find(OLD), ...write(1, OLD, LEASED), find(LEASED)];
/** Returns the steps of another process. */
const by = (process: number, steps: readonly object[]) => steps.map((step) => Object.assign({}, step, { process }));

const SECOND = by(2, [
  find(LEASED),
  ...write(1, LEASED, TAKEN),
  find(TAKEN, 10 * MINUTE - 15_000),
  call,
  answered(400),
]);

describe('the rules of the model', () => {
  it('accept a refresh', () => {
    const steps = trace(...LEASE, call, answered(200), ...write(2, LEASED, NEW), find(NEW));
    expect(findBrokenRule(steps, 1)).toBeUndefined();
  });

  it('accept a token that was lost with a trace', () => {
    const steps = trace(...LEASE, call, ...SECOND, ...by(2, write(2, TAKEN, LOST)));
    expect(findBrokenRule(steps, 1)).toBeUndefined();
  });

  it('accept a lease of a process that was killed before the database responded', () => {
    const [begun] = write(1, OLD, LEASED);
    expect(findBrokenRule(trace(find(OLD), begun!, { ...find(LEASED), process: 2 }), 0)).toBeUndefined();
  });

  const released = text(0, { pausedUntil: 1 });
  const OTHER = text(0, owned('c', 10 * MINUTE - 15_000));
  const early = text(0, owned('b', 10 * MINUTE - 16_000, { isInDoubt: true }));
  const unmarked = text(0, owned('b', 10 * MINUTE - 30_000));
  const refused = text(0, { reconnect: 'refused' });

  it.each<[string, readonly object[], string]>([
    ['a call without a lease', [find(OLD), call], 'a process called the provider without the lease'],
    [
      'a call of a process whose lease another process has',
      [...LEASE, ...by(2, [find(LEASED), call])],
      'a process called the provider without the lease',
    ],
    [
      'a call at the end of the lease',
      [...LEASE.slice(0, -1), find(LEASED, 10 * MINUTE - 4000), call],
      'the lease was too short for the request',
    ],
    ['a second call with one lease', [...LEASE, call, answered(200), call], 'a lease was used twice'],
    [
      'a call with a token of another row',
      [...LEASE, { ...call, token: 'erin:1' }],
      'another token than that of the row',
    ],
    ['two leases of the same row', [...LEASE, ...by(2, write(1, OLD, OTHER))], 'two processes replaced the same row'],
    [
      'a lease without its own owner',
      [...LEASE, ...by(2, write(1, LEASED, text(0, owned('a', 1))))],
      'no owner of its own',
    ],
    ['a lease before the last one expired', [...LEASE, ...by(2, write(1, LEASED, early))], 'before the previous one'],
    ['a lease without the doubt', [...LEASE, ...by(2, write(1, LEASED, unmarked))], 'does not show the doubt'],
    ['a stored response that did not arrive', [...LEASE, ...write(2, LEASED, NEW)], 'stored without a response'],
    ['an end without a refusal', [...LEASE, ...write(2, LEASED, refused)], 'given up without a refusal'],
    [
      'the refusal of a token that nobody had sent',
      [...LEASE, call, answered(400), ...write(2, LEASED, refused)],
      'refused that nobody had sent before',
    ],
    [
      'an end by a process without the lease',
      [...LEASE, call, ...SECOND, ...write(2, TAKEN, LOST)],
      'a process without the lease ended it',
    ],
    [
      'simultaneous calls',
      [...LEASE, call, ...SECOND.slice(0, -1), answered(200), { ...answered(400), process: 2 }],
      'two processes called the provider at the same time',
    ],
    ['a write over a row that was not read', [...LEASE, ...write(2, OTHER, NEW)], 'not the one that was read'],
    ['a row from nowhere', [...LEASE, find(OTHER)], 'a row was read that nobody wrote'],
    [
      'a response that was stored twice',
      [...LEASE, call, answered(200), ...write(2, LEASED, NEW), ...write(3, NEW, text(2))],
      'stored without a response',
    ],
    ['a token that is lost without a trace', [find(OLD)], 'a token was lost without a trace'],
    ['a release without the doubt', [...LEASE, ...write(2, LEASED, released)], 'left no doubt'],
  ])('refuse %s', (_, steps, rule) => {
    expect(findBrokenRule(trace(...steps), 1)).toMatch(rule);
  });
});
