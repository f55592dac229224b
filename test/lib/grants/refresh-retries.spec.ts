import { describe, expect, it } from '@jest/globals';
import { OAuth2Server, type RefreshToken } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { ALICE, earlier, later, SECRET, WEB } from '../../support/model.js';
import { runOperation, tokenRequest } from '../../support/requests.js';

type Spent = Partial<Pick<RefreshToken, 'revokedAt' | 'revokedAgo'>>;

/** A store that reports given times for the revocation of refresh tokens, as a different clock would. */
class ToldStore extends MemoryStore {
  constructor(private readonly told: Spent) {
    const clients = [{ ...WEB, secret: SECRET, scopes: ['read'] }];
    super({ clients, users: { findByCredentials: () => ALICE, findById: () => ALICE } });
  }

  override async getRefreshToken(token: string) {
    const found = await super.getRefreshToken(token);
    return found?.revokedAt ? { ...found, ...this.told } : found;
  }
}

async function retryOf(told: Spent, refreshTokenReuseInterval: number) {
  const server = new OAuth2Server({ model: new ToldStore(told), refreshTokenReuseInterval });
  const ask = async (body: object) => (await runOperation(server, 'token', tokenRequest({ ...body }))).body;
  const first = await ask({ grant_type: 'password', username: 'alice', password: 'any', scope: 'read' });
  const refresh = { grant_type: 'refresh_token', refresh_token: first['refresh_token'] };
  const [lost, again] = [await ask(refresh), await ask(refresh)];
  const alive = await ask({ ...refresh, refresh_token: lost['refresh_token'] });
  return { same: again['refresh_token'] === lost['refresh_token'], again, alive };
}

describe('a refresh token that was used before', () => {
  it.each<[string, Spent]>([
    ['a moment ago by the process clock', { revokedAgo: undefined, revokedAt: earlier(1) }],
    ['after the lookup began, by the database clock', { revokedAgo: -0.004 }],
    ['a moment ago by the database clock, long ago by the process clock', { revokedAgo: 1, revokedAt: earlier(3600) }],
    ['a moment ago by the database clock, in the future by the process clock', { revokedAgo: 1, revokedAt: later() }],
  ])('returns the same tokens again if it was used %s', async (_, told) => {
    const { same, alive } = await retryOf(told, 60);
    expect(same).toBe(true);
    expect(alive).toHaveProperty('access_token');
  });

  it.each<[string, Spent, number]>([
    ['a moment ago, and there is no rotation grace period', {}, 0],
    ['in the future, and there is no rotation grace period', { revokedAgo: undefined, revokedAt: later(5) }, 0],
    ['in the future by the process clock', { revokedAgo: undefined, revokedAt: later(5) }, 60],
    ['in the future by the database clock', { revokedAgo: -5 }, 60],
    [
      'longer ago than the rotation grace period by the process clock',
      { revokedAgo: undefined, revokedAt: earlier(61) },
      60,
    ],
    [
      'longer ago than the rotation grace period by the database clock, now by the process clock',
      { revokedAgo: 61, revokedAt: later(0) },
      60,
    ],
  ])('is treated as a replay if it was used %s', async (_, told, interval) => {
    const { again, alive } = await retryOf(told, interval);
    expect(again).toMatchObject({ error: 'invalid_grant' });
    expect(alive).toMatchObject({ error: 'invalid_grant' });
  });
});
