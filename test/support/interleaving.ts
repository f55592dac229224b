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
  nextOutcome: (method: string) => CallOutcome = () => 'made',
): Model {
  return new Proxy(model, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || typeof name === 'symbol') return method;
      return async (...args: unknown[]) => {
        const outcome = nextOutcome(name);
        await scheduler.schedule(Promise.resolve(name), `before ${name}`);
        if (outcome === 'cut off') throw new Error(`${name} was cut off`);
        const result: unknown = await Reflect.apply(method, target, args);
        await scheduler.schedule(Promise.resolve(name), `after ${name}`);
        if (outcome === 'lost') throw new Error(`the answer of ${name} was lost`);
        return result;
      };
    },
  });
}

/** The code, the refresh token issued last, or the nth that was ever issued; and which of two processes it is redeemed to. */
type Credential = 'code' | 'latest' | number;
type Attempt = readonly [credential: Credential, process: number];

/** What is tried at once, and what the clocks of the processes are set to meanwhile, in milliseconds ahead. */
export interface Round {
  attempts: readonly Attempt[];
  clocks: readonly [number, number];
}

const milliseconds = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -20, max: 20 }),
  fc.integer({ min: -30_000, max: 30_000 }),
);
const round = (credential: fc.Arbitrary<Credential>, maxAttempts: number): fc.Arbitrary<Round> =>
  fc.record({
    attempts: fc.array(fc.tuple(credential, fc.nat({ max: 1 })), { minLength: 1, maxLength: maxAttempts }),
    clocks: fc.tuple(milliseconds, milliseconds),
  });
const wild = round(fc.oneof(fc.constantFrom<Credential>('code', 'latest'), fc.nat({ max: 5 })), 4);
const careful = round(fc.constant<Credential>('latest'), 1);

/** Rounds in which anything is tried, or those of a client that does no wrong. */
export const rounds: fc.Arbitrary<Round[]> = fc.oneof(
  fc.array(wild, { minLength: 1, maxLength: 5 }),
  fc.array(careful, { maxLength: 5 }),
);

/** What became of it: the refresh tokens that were issued, and with which of them each code and token was answered. */
export interface PlayedRounds {
  issued: string[];
  issuedFor: Map<string, string[]>;
}

const FIRST: Round = { attempts: [['code', 0]], clocks: [0, 0] };

/** Two processes on one model, each with a clock of its own, which is set while requests are on their way. */
export async function playRounds(
  model: Model,
  scheduler: fc.Scheduler,
  plan: readonly Round[],
  options: Partial<OAuth2ServerOptions> = {},
): Promise<PlayedRounds> {
  const server = new OAuth2Server({ ...options, model: scheduledModel(model, scheduler) });
  const clocks = [new Clock(), new Clock()];
  const [issued, issuedFor]: [string[], PlayedRounds['issuedFor']] = [[], new Map()];
  const redeem = async ([credential, process]: Attempt) => {
    const token = (credential === 'latest' ? issued.at(-1) : issued[Number(credential) % issued.length]) ?? 'none';
    const request = tokenRequest(credential === 'code' ? CODE : { grant_type: 'refresh_token', refresh_token: token });
    const { status, body, error } = await clocks[process]!.at(() => runOperation(server, 'token', request));
    expect([200, 'invalid_grant']).toContain(error?.name ?? status);
    if (status !== 200) return;
    const next = String(body['refresh_token']);
    if (!issued.includes(next)) issued.push(next);
    const redeemed = credential === 'code' ? 'code' : token;
    issuedFor.set(redeemed, [...(issuedFor.get(redeemed) ?? []), next]);
  };
  const set = async (clock: Clock, ahead: number) => {
    await scheduler.schedule(Promise.resolve(), 'the clock is set');
    clock.offset = ahead;
  };
  for (const { attempts, clocks: offsets } of [FIRST, ...plan]) {
    const settings = clocks.map((clock, index) => set(clock, offsets[index]!));
    await scheduler.waitFor(Promise.all([...attempts.map(redeem), ...settings]));
  }
  return { issued, issuedFor };
}

/** Is the code redeemed again, in any round? */
export const replaysCode = (plan: readonly Round[]): boolean =>
  plan.some(({ attempts }) => attempts.some(([credential]) => credential === 'code'));
