import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { InvalidGrantError, type Model, OAuth2Server, type Token, type Unsaved } from 'nest-oauth2/server';

import { addCode, ALICE, CALLBACK, createHost, type Host, WEB } from '../support/model.js';
import { answer, tokenRequest } from '../support/requests.js';

interface Row {
  revokedAt?: Date;
  grantId?: string;
}

/** A host that keeps what was spent, and knows which family it belongs to. */
function familyHost(): Host & { revoked: Set<string> } {
  const revoked = new Set<string>();
  const host: Host = createHost({
    revokeAuthorizationCode: ({ authorizationCode }: { authorizationCode: string }) =>
      spend(host.codes.get(authorizationCode)),
    revokeToken: ({ refreshToken }: { refreshToken: string }) => spend(host.refreshTokens.get(refreshToken)),
    revokeGrant: (grantId: string) => void revoked.add(grantId),
    saveToken(token: Row & Unsaved<Token> & { refreshToken: string }, client: typeof WEB, user: object) {
      if (revoked.has(token.grantId!)) throw new InvalidGrantError('Invalid grant: revoked');
      const saved = { ...token, client, user };
      host.accessTokens.set(token.accessToken, saved);
      host.refreshTokens.set(token.refreshToken, saved);
      return saved;
    },
    // As a database does: what is found is a copy, of that moment.
    getAuthorizationCode: (code: string) => host.codes.has(code) && { ...host.codes.get(code) },
    getRefreshToken: (token: string) => host.refreshTokens.has(token) && { ...host.refreshTokens.get(token) },
  });
  return Object.assign(host, { revoked });
}

function spend(row: Row | undefined): boolean {
  if (!row || row.revokedAt) return false;
  row.revokedAt = new Date();
  return true;
}

/** The model, each call of which starts and ends when the scheduler likes. */
function delayed(model: Model, scheduler: fc.Scheduler): Model {
  const methods = Object.entries(model as unknown as Record<string, (...args: unknown[]) => unknown>);
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        await scheduler.schedule(Promise.resolve(name), `before ${name}`);
        const result: unknown = await method(...args);
        await scheduler.schedule(Promise.resolve(name), `after ${name}`);
        return result;
      },
    ]),
  ) as unknown as Model;
}

const CODE = { grant_type: 'authorization_code', code: 'code', redirect_uri: CALLBACK };
type Try = 'code' | 'latest' | number;

/** What is tried at once, in each round: the code, the refresh token issued last, or the nth that was ever issued. */
const wild = fc.array(
  fc.array(fc.oneof(fc.constantFrom<Try>('code', 'latest'), fc.nat({ max: 5 })), { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 5 },
);
const careful = fc.array(fc.constant<Try[]>(['latest']), { maxLength: 5 });
const rounds: fc.Arbitrary<Try[][]> = fc.oneof(wild, careful);

async function play(host: Host, scheduler: fc.Scheduler, plan: Try[][]) {
  addCode(host, { grantId: 'family', client: WEB, user: ALICE });
  const server = new OAuth2Server({ model: delayed(host.model, scheduler) });
  const issued: string[] = [];
  let redeemed = 0;
  for (const round of [['code'] as Try[], ...plan]) {
    const tries = round.map(async (what) => {
      const token = what === 'latest' ? issued.at(-1) : issued[Number(what) % issued.length];
      const refresh = { grant_type: 'refresh_token', refresh_token: token ?? 'none' };
      const { status, body, error } = await answer(server, 'token', tokenRequest(what === 'code' ? CODE : refresh));
      expect([200, 'invalid_grant']).toContain(error?.name ?? status);
      if (status === 200) issued.push(body['refresh_token'] as string);
      if (status === 200 && what === 'code') redeemed += 1;
    });
    await scheduler.waitFor(Promise.all(tries));
  }
  return { issued, redeemed };
}

describe('however requests interleave', () => {
  it('one code gives one token response, and a family has one live refresh token at most', async () => {
    let most = 0;
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), rounds, async (scheduler, plan) => {
        const host = createHost();
        const { issued, redeemed } = await play(host, scheduler, plan);
        expect(redeemed).toBe(1);
        expect(issued.filter((token) => host.refreshTokens.has(token)).length).toBeLessThanOrEqual(1);
        most = Math.max(most, issued.length);
      }),
      { numRuns: 300 },
    );
    expect(most).toBeGreaterThan(2);
  });

  it('a replay leaves nothing of the family alive, where the model can end families', async () => {
    const seen = { replayed: 0, untouched: 0 };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), rounds, async (scheduler, plan) => {
        const host = familyHost();
        const { issued, redeemed } = await play(host, scheduler, plan);
        const alive = issued.filter(
          (token) => !host.refreshTokens.get(token)?.revokedAt && !host.revoked.has('family'),
        );
        const tries = plan.flat();
        const replayed = tries.includes('code') || host.revoked.size > 0;
        expect(redeemed).toBe(1);
        expect(alive.length).toBe(replayed ? 0 : 1);
        expect([...host.refreshTokens.values()].every(({ grantId }) => grantId === 'family')).toBe(true);
        seen[replayed ? 'replayed' : 'untouched'] += 1;
      }),
      { numRuns: 300 },
    );
    expect(Math.min(seen.replayed, seen.untouched)).toBeGreaterThan(30);
  });

  it('redemptions of one code at once give one token response at most, and none stays alive if it was replayed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 6 }), async (scheduler, count) => {
        const host = familyHost();
        addCode(host, { grantId: 'family' });
        const server = new OAuth2Server({ model: delayed(host.model, scheduler) });
        const tries = Promise.all(Array.from({ length: count }, () => answer(server, 'token', tokenRequest(CODE))));
        const outcomes = await scheduler.waitFor(tries);
        expect(outcomes.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
        expect(host.revoked.has('family')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
