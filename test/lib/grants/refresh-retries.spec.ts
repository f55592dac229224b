import { describe, expect, it } from '@jest/globals';
import { OAuth2Server, type RefreshToken } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { ALICE, earlier, later, SECRET, WEB } from '../../support/model.js';
import { answer, tokenRequest } from '../../support/requests.js';

type Spent = Partial<Pick<RefreshToken, 'revokedAt' | 'revokedAgo'>>;

/** A store that says of what is spent when that was, as another clock would. */
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
  const ask = async (body: object) => (await answer(server, 'token', tokenRequest({ ...body }))).body;
  const first = await ask({ grant_type: 'password', username: 'alice', password: 'any', scope: 'read' });
  const refresh = { grant_type: 'refresh_token', refresh_token: first['refresh_token'] };
  const [lost, again] = [await ask(refresh), await ask(refresh)];
  const alive = await ask({ ...refresh, refresh_token: lost['refresh_token'] });
  return { same: again['refresh_token'] === lost['refresh_token'], again, alive };
}

// Issue 10, 1.1
describe('a refresh token that comes again', () => {
  it.each<[string, Spent]>([
    ['a moment ago, by the clock of this process', { revokedAgo: undefined, revokedAt: earlier(1) }],
    ['after the search had begun, by the clock of the database', { revokedAgo: -0.004 }],
    ['a moment ago by the clock of the database, long ago by this one', { revokedAgo: 1, revokedAt: earlier(3600) }],
    ['a moment ago by the clock of the database, in the future by this one', { revokedAgo: 1, revokedAt: later() }],
  ])('is answered by the same tokens when it was spent %s', async (_, told) => {
    const { same, alive } = await retryOf(told, 60);
    expect(same).toBe(true);
    expect(alive).toHaveProperty('access_token');
  });

  it.each<[string, Spent, number]>([
    ['a moment ago, where nobody may try again', {}, 0],
    ['in the future, where nobody may try again', { revokedAgo: undefined, revokedAt: later(5) }, 0],
    ['in the future, by the clock of this process', { revokedAgo: undefined, revokedAt: later(5) }, 60],
    ['in the future, by the clock of the database', { revokedAgo: -5 }, 60],
    ['before the interval, by the clock of this process', { revokedAgo: undefined, revokedAt: earlier(61) }, 60],
    ['before the interval by the clock of the database, now by this one', { revokedAgo: 61, revokedAt: later(0) }, 60],
  ])('is a replay when it was spent %s', async (_, told, interval) => {
    const { again, alive } = await retryOf(told, interval);
    expect(again).toMatchObject({ error: 'invalid_grant' });
    expect(alive).toMatchObject({ error: 'invalid_grant' });
  });
});
