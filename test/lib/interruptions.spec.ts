import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Model, OAuth2Server } from 'nest-oauth2/server';

import * as fc from '../support/environment/fast-check.js';
import { familyModel, memoryStore } from '../support/models/token-family-models.js';
import { CODE, scheduledModel, type CallOutcome } from '../support/environment/interleaving.js';
import { runOperation, tokenRequest } from '../support/clients/requests.js';
import { Clock, restoreClocks, skewClocks } from '../support/environment/skewed-clock.js';

const failing = fc.array(fc.constantFrom<CallOutcome>('made', 'made', 'cut off', 'lost'), {
  minLength: 10,
  maxLength: 30,
});
/** Half of the runs have no failure. Random values alone would rarely produce this. */
const fates = fc.oneof(fc.constant<CallOutcome[]>([]), failing);
const offsets = fc.tuple(fc.integer({ min: -30_000, max: 30_000 }), fc.integer({ min: -30_000, max: 30_000 }));
const REFRESHES = 4;

/** Sends a request to both processes in turn until it succeeds or is rejected. */
async function insist(servers: readonly OAuth2Server[], clocks: readonly Clock[], body: Record<string, string>) {
  for (let attempt = 0; ; attempt += 1) {
    const [server, clock] = [servers[attempt % 2]!, clocks[attempt % 2]!];
    const outcome = await clock.at(() => runOperation(server, 'token', tokenRequest(body)));
    if (outcome.status < 500) return { ...outcome, attempt };
  }
}

/**
 * Redeems a code and refreshes its tokens. Returns all refresh tokens, oldest first, and whether no request was
 * rejected.
 */
async function live(
  model: Model,
  scheduler: fc.Scheduler,
  plan: readonly CallOutcome[],
  ahead: readonly [number, number],
) {
  const coming = [...plan];
  const options = { refreshTokenReuseInterval: 60 };
  const next = (method: string): CallOutcome => {
    const fate = coming.shift() ?? 'made';
    // Only refresh tokens have a rotation grace period. A client that loses the response to a code must ask the user
    // again.
    return fate === 'lost' && method === 'redeem' && issued.length === 0 ? 'cut off' : fate;
  };
  const servers = [0, 1].map(() => new OAuth2Server({ ...options, model: scheduledModel(model, scheduler, next) }));
  const clocks = ahead.map((offset) => new Clock(offset));
  const issued: string[] = [];
  let retries = 0;
  const run = async () => {
    for (let refresh = 0; refresh <= REFRESHES; refresh += 1) {
      const body = refresh === 0 ? CODE : { grant_type: 'refresh_token', refresh_token: issued.at(-1)! };
      const { status, body: answered, attempt } = await insist(servers, clocks, body);
      if (status !== 200) return false;
      issued.push(String(answered['refresh_token']));
      retries += attempt;
    }
    return true;
  };
  const survived = await scheduler.waitFor(run());
  return { issued, survived, retries };
}

// Each test runs hundreds of cases.
jest.setTimeout(120_000);

beforeAll(skewClocks);
afterAll(restoreClocks);

describe('calls of the model that fail before or after they take effect', () => {
  it('never sign out a client that retries, if the model redeems atomically', async () => {
    let most = 0;
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fates, offsets, async (scheduler, plan, ahead) => {
        const store = await memoryStore();
        const { issued, survived, retries } = await live(store, scheduler, plan, ahead);
        expect(survived).toBe(true);
        const found = await Promise.all(issued.map((token) => store.getRefreshToken(token)));
        const valid = issued.filter((_, index) => found[index] && !found[index].revokedAt);
        expect(valid).toEqual(issued.slice(-1));
        most = Math.max(most, retries);
      }),
      { numRuns: 300 },
    );
    expect(most).toBeGreaterThan(3);
  });

  it('leave at most one valid refresh token in a family, if the model redeems in two steps', async () => {
    const seen = { survived: 0, ended: 0 };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fates, offsets, async (scheduler, plan, ahead) => {
        const testModel = familyModel();
        const { survived } = await live(testModel.model, scheduler, plan, ahead);
        const rows = [...testModel.refreshTokens.values()];
        const valid = rows.filter(({ revokedAt }) => !revokedAt && !testModel.revoked.has('family'));
        expect(valid.length).toBeLessThanOrEqual(1);
        expect(survived && valid.length === 0).toBe(false);
        seen[survived ? 'survived' : 'ended'] += 1;
      }),
      { numRuns: 300 },
    );
    expect(Math.min(seen.survived, seen.ended)).toBeGreaterThan(20);
  });
});
