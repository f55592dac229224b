import { expect } from '@jest/globals';
import { type Model, OAuth2Server, type OAuth2ServerOptions } from 'nest-oauth2/server';

import * as fc from './fast-check.js';
import { CALLBACK } from '../models/model.js';
import { runOperation, tokenRequest } from '../clients/requests.js';
import { Clock } from './skewed-clock.js';

export const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };

/**
 * The outcome of a model call. `cut off` fails before the model is called. `lost` fails after the model has returned.
 */
export type CallOutcome = 'made' | 'cut off' | 'lost';

/**
 * Wraps a model so that a scheduler decides when each call starts and returns. `nextOutcome` decides whether the call
 * fails.
 */
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
        if (outcome === 'cut off') throw new Error(`the call of ${name} was cut off`);
        const result: unknown = await Reflect.apply(method, target, args);
        await scheduler.schedule(Promise.resolve(name), `after ${name}`);
        if (outcome === 'lost') throw new Error(`the result of ${name} was lost`);
        return result;
      };
    },
  });
}

/** A credential to redeem: the code, the latest refresh token, or the refresh token with this index. */
type Credential = 'code' | 'latest' | number;
type Attempt = readonly [credential: Credential, process: number];

/**
 * A round of concurrent token requests. `clocks` are the offsets of the two processes' clocks during the round, in
 * milliseconds.
 */
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

/** Generates rounds of arbitrary token requests, or rounds of a client that redeems only the latest refresh token. */
export const rounds: fc.Arbitrary<Round[]> = fc.oneof(
  fc.array(wild, { minLength: 1, maxLength: 5 }),
  fc.array(careful, { maxLength: 5 }),
);

/**
 * The result of `playRounds()`: the issued refresh tokens in order, and the refresh tokens issued for each redeemed
 * code or token.
 */
export interface PlayedRounds {
  issued: string[];
  issuedFor: Map<string, string[]>;
}

const FIRST: Round = { attempts: [['code', 0]], clocks: [0, 0] };

/**
 * Sends token requests to two processes that share a model. Each process has its own clock, which changes while
 * requests run.
 */
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

/** Whether any round redeems the authorization code again. */
export const replaysCode = (plan: readonly Round[]): boolean =>
  plan.some(({ attempts }) => attempts.some(([credential]) => credential === 'code'));
