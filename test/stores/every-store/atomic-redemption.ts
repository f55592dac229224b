import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RefreshToken, Token, Unsaved } from 'nest-oauth2/server';

import { ALICE, later } from '../../support/models/model.js';
import { findStores, type OpenStore, WEB } from '../every-store.js';

describe.each(await findStores())('redeeming in one step with a store in $name', ({ name, open }) => {
  let opened: OpenStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  const token = (more: object = {}): Unsaved<Token> => ({
    accessToken: randomUUID(),
    accessTokenExpiresAt: later(),
    refreshToken: randomUUID(),
    refreshTokenExpiresAt: later(7200),
    scope: 'read',
    ...more,
  });

  async function issue(more: object = {}): Promise<RefreshToken> {
    const saved = await opened.store.saveToken(token({ grantId: randomUUID(), ...more }), WEB, ALICE);
    return (await opened.store.getRefreshToken(saved.refreshToken!))!;
  }
  const next = ({ grantId }: RefreshToken, more: object = {}) => token({ grantId, ...more });

  it('redeem() succeeds for one of many concurrent requests in two processes, and saves only its tokens', async () => {
    const held = await issue();
    const attempts = Array.from({ length: 100 }, (_, index) => {
      const made = next(held);
      const store = index % 2 ? opened.store : opened.another;
      return store.redeem(held, made, WEB, ALICE).then((saved) => ({ made, isWon: saved !== undefined }));
    });
    const outcomes = await Promise.all(attempts);
    expect(outcomes.filter(({ isWon }) => isWon)).toHaveLength(1);
    for (const { made, isWon } of outcomes) {
      expect((await opened.store.getAccessToken(made.accessToken)) !== undefined).toBe(isWon);
      expect((await opened.another.getRefreshToken(made.refreshToken!)) !== undefined).toBe(isWon);
    }
    expect(await opened.another.getRefreshToken(held.refreshToken)).toMatchObject({ revokedAt: expect.any(Date) });
  });

  if (name !== 'memory' && name !== 'Redis')
    it('redeem() consumes nothing if a database cannot save the new tokens', async () => {
      // Redis and memory accept this token.
      const held = await issue();
      const other = await issue();
      const taken = next(held, { refreshToken: other.refreshToken });
      await expect(opened.store.redeem(held, taken, WEB, ALICE)).rejects.toThrow(/unique|duplicate|not null/i);
      expect(await opened.another.getRefreshToken(held.refreshToken)).not.toHaveProperty('revokedAt');
      expect(await opened.another.getAccessToken(taken.accessToken)).toBeUndefined();
      expect(await opened.store.redeem(held, next(held), WEB, ALICE)).toBeDefined();
    });

  it('redeem() keeps the redeemed code with its data and the time of redemption', async () => {
    const code = { redirectUri: 'https://app.example/cb', codeChallenge: 'c', codeChallengeMethod: 'S256' };
    const authorizationCode = randomUUID();
    const more = { grantId: randomUUID(), nonce: 'n-0S6', claims: { userinfo: ['email', 'Zoë'] } };
    await opened.store.saveAuthorizationCode({ authorizationCode, expiresAt: later(), ...code, ...more }, WEB, ALICE);
    const found = (await opened.another.getAuthorizationCode(authorizationCode))!;
    expect(found).toMatchObject({ ...code, ...more });
    expect(found).not.toHaveProperty('revokedAt');
    await opened.store.redeem(found, token({ grantId: found.grantId }), WEB, ALICE);
    const used = await opened.another.getAuthorizationCode(authorizationCode);
    expect(used).toMatchObject({ ...code, ...more, revokedAt: expect.any(Date), revokedAgo: expect.any(Number) });
    const { revokedAgo } = used as { revokedAgo?: number };
    expect(revokedAgo).toBeGreaterThanOrEqual(0);
    expect(revokedAgo).toBeLessThan(30);
  });

  it('redeem() stores further properties of a token, and the rotated token with the used one', async () => {
    const held = await issue({ authTime: 1_700_000_000, cnf: { jkt: '0ZcOC' } });
    expect(held).toMatchObject({ authTime: 1_700_000_000, cnf: { jkt: '0ZcOC' } });
    const made = next(held, { act: { sub: 'admin' }, rotatedToken: 'sealed' });
    const saved = await opened.store.redeem(held, made, WEB, ALICE);
    expect(saved).not.toHaveProperty('rotatedToken');
    const used = await opened.another.getRefreshToken(held.refreshToken);
    expect(used).toMatchObject({ authTime: 1_700_000_000, cnf: { jkt: '0ZcOC' }, rotatedToken: 'sealed' });
    const found = await opened.another.getAccessToken(made.accessToken);
    expect(found).toMatchObject({ act: { sub: 'admin' }, client: { id: 'web' }, user: { id: 'alice' }, scope: 'read' });
    expect(found).not.toHaveProperty('rotatedToken');
  });

  it('redeem() saves no valid tokens in a revoked grant', async () => {
    const held = await issue();
    await opened.another.revokeGrant(held.grantId!);
    const made = next(held);
    await opened.store.redeem(held, made, WEB, ALICE);
    expect(await opened.store.getAccessToken(made.accessToken)).toBeUndefined();
  });

  it('redeem() extends a grant to the expiry of its last token, and records its last use', async () => {
    const user = { id: `lister ${name}` };
    const first = token({ grantId: randomUUID(), refreshTokenExpiresAt: later(60) });
    await opened.store.saveToken(first, WEB, user);
    const held = (await opened.store.getRefreshToken(first.refreshToken!))!;
    const until = later(90 * 86_400);
    await opened.store.redeem(held, next(held, { refreshTokenExpiresAt: until }), WEB, user);
    const [grant] = await opened.another.listGrants(user.id);
    expect(Math.abs(grant!.expiresAt.getTime() - until.getTime())).toBeLessThan(60_000);
    expect(grant!.lastUsedAt.getTime()).toBeGreaterThanOrEqual(grant!.createdAt.getTime());
  });

  it('once() makes a single-use value available once across processes', async () => {
    const attempt = (seconds: number) => (value: string, index: number) =>
      (index % 2 ? opened.store : opened.another).once(value, seconds);
    const same = Array.from({ length: 50 }, () => `ticket ${name}`);
    expect((await Promise.all(same.map(attempt(60)))).filter(Boolean)).toHaveLength(1);
    expect(await opened.store.once(`another ticket ${name}`, 60)).toBe(true);
  });
});
