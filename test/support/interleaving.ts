import { expect } from '@jest/globals';
import { type Model, OAuth2Server, type OAuth2ServerOptions } from 'nest-oauth2/server';

import * as fc from './fast-check.js';
import { CALLBACK } from './model.js';
import { runOperation, tokenRequest } from './requests.js';
import { Clock } from './skewed-clock.js';

export const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };

/** What a call of the model comes to: it is made, cut off before anything is done, or its answer is lost. */
export type CallOutcome = 'made' | 'cut off' | 'lost';

/** The model, each call of which starts and ends when the scheduler likes, if at all. */
export function scheduledModel(
  model: Model,
  scheduler: fc.Scheduler,
  nextFate: (method: string) => CallOutcome = () => 'made',
): Model {
  return new Proxy(model, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || typeof name === 'symbol') return method;
      return async (...args: unknown[]) => {
        const fate = nextFate(name);
        await scheduler.schedule(Promise.resolve(name), `before ${name}`);
        if (fate === 'cut off') throw new Error(`${name} was cut off`);
        const result: unknown = await Reflect.apply(method, target, args);
        await scheduler.schedule(Promise.resolve(name), `after ${name}`);
        if (fate === 'lost') throw new Error(`the answer of ${name} was lost`);
        return result;
      };
    },
  });
}

/** The code, the refresh token issued last, or the nth that was ever issued; and which of two processes it is brought to. */
type What = 'code' | 'latest' | number;
type Try = readonly [what: What, process: number];

/** What is tried at once, and what the clocks of the processes are set to meanwhile, in milliseconds ahead. */
export interface Round {
  tries: readonly Try[];
  clocks: readonly [number, number];
}

const milliseconds = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -20, max: 20 }),
  fc.integer({ min: -30_000, max: 30_000 }),
);
const round = (what: fc.Arbitrary<What>, most: number): fc.Arbitrary<Round> =>
  fc.record({
    tries: fc.array(fc.tuple(what, fc.nat({ max: 1 })), { minLength: 1, maxLength: most }),
    clocks: fc.tuple(milliseconds, milliseconds),
  });
const wild = round(fc.oneof(fc.constantFrom<What>('code', 'latest'), fc.nat({ max: 5 })), 4);
const careful = round(fc.constant<What>('latest'), 1);

/** Rounds in which anything is tried, or those of a client that does no wrong. */
export const rounds: fc.Arbitrary<Round[]> = fc.oneof(
  fc.array(wild, { minLength: 1, maxLength: 5 }),
  fc.array(careful, { maxLength: 5 }),
);

/** What became of it: the refresh tokens that were issued, and with which of them each code and token was answered. */
export interface PlayedRounds {
  issued: string[];
  answers: Map<string, string[]>;
}

const FIRST: Round = { tries: [['code', 0]], clocks: [0, 0] };

/** Two processes on one model, each with a clock of its own, which is set while requests are on their way. */
export async function playRounds(
  model: Model,
  scheduler: fc.Scheduler,
  plan: readonly Round[],
  options: Partial<OAuth2ServerOptions> = {},
): Promise<PlayedRounds> {
  const server = new OAuth2Server({ ...options, model: scheduledModel(model, scheduler) });
  const clocks = [new Clock(), new Clock()];
  const [issued, answers]: [string[], PlayedRounds['answers']] = [[], new Map()];
  const bring = async ([what, process]: Try) => {
    const token = (what === 'latest' ? issued.at(-1) : issued[Number(what) % issued.length]) ?? 'none';
    const request = tokenRequest(what === 'code' ? CODE : { grant_type: 'refresh_token', refresh_token: token });
    const { status, body, error } = await clocks[process]!.at(() => runOperation(server, 'token', request));
    expect([200, 'invalid_grant']).toContain(error?.name ?? status);
    if (status !== 200) return;
    const next = String(body['refresh_token']);
    if (!issued.includes(next)) issued.push(next);
    const brought = what === 'code' ? 'code' : token;
    answers.set(brought, [...(answers.get(brought) ?? []), next]);
  };
  const set = async (clock: Clock, ahead: number) => {
    await scheduler.schedule(Promise.resolve(), 'the clock is set');
    clock.offset = ahead;
  };
  for (const { tries, clocks: ahead } of [FIRST, ...plan]) {
    const settings = clocks.map((clock, index) => set(clock, ahead[index]!));
    await scheduler.waitFor(Promise.all([...tries.map(bring), ...settings]));
  }
  return { issued, answers };
}

/** Is the code brought again, in any round? */
export const replaysCode = (plan: readonly Round[]): boolean =>
  plan.some(({ tries }) => tries.some(([what]) => what === 'code'));
