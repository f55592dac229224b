import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';

import * as fc from '../support/environment/fast-check.js';
import { familyModel, memoryStore } from '../support/models/token-family-models.js';
import { CODE, scheduledModel, playRounds, replaysCode, rounds } from '../support/environment/interleaving.js';
import { addCode, ALICE, createTestModel, WEB } from '../support/models/model.js';
import { runOperation, tokenRequest } from '../support/clients/requests.js';
import { restoreClocks, skewClocks } from '../support/environment/skewed-clock.js';

// Each test runs hundreds of cases.
jest.setTimeout(120_000);

beforeAll(skewClocks);
afterAll(restoreClocks);

describe('interleaved requests to two processes with different and changing clocks', () => {
  it('redeem a code once, and leave at most one valid refresh token in its token family', async () => {
    let most = 0;
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), rounds, async (scheduler, plan) => {
        const testModel = createTestModel();
        addCode(testModel, { grantId: 'family', client: WEB, user: ALICE });
        const { issued, issuedFor: answers } = await playRounds(testModel.model, scheduler, plan);
        expect(answers.get('code')).toHaveLength(1);
        expect(issued.filter((token) => testModel.refreshTokens.has(token)).length).toBeLessThanOrEqual(1);
        most = Math.max(most, issued.length);
      }),
      { numRuns: 300 },
    );
    expect(most).toBeGreaterThan(2);
  });

  it('leave no valid token in a family after a replay, if the model can revoke families', async () => {
    const seen = { replayed: 0, untouched: 0 };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), rounds, fc.constantFrom(0, 10), async (scheduler, plan, interval) => {
        const testModel = familyModel();
        const options = { refreshTokenReuseInterval: interval };
        const { issued, issuedFor: answers } = await playRounds(testModel.model, scheduler, plan, options);
        const valid = issued.filter(
          (token) => !testModel.refreshTokens.get(token)?.revokedAt && !testModel.revoked.has('family'),
        );
        const replayed = replaysCode(plan) || testModel.revoked.size > 0;
        expect([...answers.values()].every(({ length }) => length === 1)).toBe(true);
        expect(valid.length).toBe(replayed ? 0 : 1);
        expect([...testModel.refreshTokens.values()].every(({ grantId }) => grantId === 'family')).toBe(true);
        seen[replayed ? 'replayed' : 'untouched'] += 1;
      }),
      { numRuns: 300 },
    );
    expect(Math.min(seen.replayed, seen.untouched)).toBeGreaterThan(30);
  });

  it.each([0, 10])(
    'rotate each token once if the model redeems atomically, with a rotation grace period of %i seconds',
    async (refreshTokenReuseInterval) => {
      const seen = { replayed: 0, untouched: 0, again: 0 };
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), rounds, async (scheduler, plan) => {
          const store = await memoryStore();
          const reused: string[] = [];
          const events = { emit: (name: string) => name === 'token.reuse_detected' && reused.push(name) };
          const { issued, issuedFor: answers } = await playRounds(store, scheduler, plan, {
            refreshTokenReuseInterval,
            events,
          });
          for (const [brought, given] of answers) {
            expect(new Set(given).size).toBe(1);
            const most = refreshTokenReuseInterval === 0 || brought === 'code' ? 1 : 100;
            expect(given.length).toBeLessThanOrEqual(most);
            seen.again += given.length - 1;
          }
          const found = await Promise.all(issued.map((token) => store.getRefreshToken(token)));
          const replayed = replaysCode(plan) || reused.length > 0;
          expect(found.filter((token) => token && !token.revokedAt)).toHaveLength(replayed ? 0 : 1);
          seen[replayed ? 'replayed' : 'untouched'] += 1;
        }),
        { numRuns: 300 },
      );
      expect(Math.min(seen.replayed, seen.untouched)).toBeGreaterThan(30);
      expect(seen.again > 0).toBe(refreshTokenReuseInterval > 0);
    },
  );

  it('redeem one code at most once, and revoke its token family if it was replayed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 6 }), async (scheduler, count) => {
        const testModel = familyModel();
        const server = new OAuth2Server({ model: scheduledModel(testModel.model, scheduler) });
        const tries = Promise.all(
          Array.from({ length: count }, () => runOperation(server, 'token', tokenRequest(CODE))),
        );
        const outcomes = await scheduler.waitFor(tries);
        expect(outcomes.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
        expect(testModel.revoked.has('family')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
