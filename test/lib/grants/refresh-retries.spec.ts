import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Server, type OAuth2ServerOptions, type RefreshToken } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

import { ALICE, earlier, later, SECRET, WEB } from '../../support/models/model.js';
import { resourceRequest, runOperation, tokenRequest } from '../../support/clients/requests.js';

type Spent = Partial<Pick<RefreshToken, 'revokedAt' | 'revokedAgo'>>;

/** A store that reports given times for the revocation of refresh tokens, as a different clock would. */
class ToldStore extends MemoryStore {
  constructor(private readonly reported: Spent) {
    const clients = [{ ...WEB, secret: SECRET, scopes: ['read'] }];
    super({ clients, users: { findByCredentials: () => ALICE, findById: () => ALICE } });
  }

  override async getRefreshToken(token: string) {
    const found = await super.getRefreshToken(token);
    return found?.revokedAt ? { ...found, ...this.reported } : found;
  }
}

async function retryOf(reported: Spent, refreshTokenReuseInterval: number) {
  const server = new OAuth2Server({ model: new ToldStore(reported), refreshTokenReuseInterval });
  const ask = async (body: object) => (await runOperation(server, 'token', tokenRequest({ ...body }))).body;
  const first = await ask({ grant_type: 'password', username: 'alice', password: 'any', scope: 'read' });
  const refresh = { grant_type: 'refresh_token', refresh_token: first['refresh_token'] };
  const [lost, again] = [await ask(refresh), await ask(refresh)];
  const rotated = await ask({ ...refresh, refresh_token: lost['refresh_token'] });
  return { same: again['refresh_token'] === lost['refresh_token'], again, rotated };
}

describe('a refresh token that was used before', () => {
  it.each<[string, Spent]>([
    ['a moment ago by the process clock', { revokedAgo: undefined, revokedAt: earlier(1) }],
    ['after the lookup began, by the database clock', { revokedAgo: -0.004 }],
    ['a moment ago by the database clock, long ago by the process clock', { revokedAgo: 1, revokedAt: earlier(3600) }],
    ['a moment ago by the database clock, in the future by the process clock', { revokedAgo: 1, revokedAt: later() }],
  ])('returns the same tokens again if it was used %s', async (_, reported) => {
    const { same, rotated } = await retryOf(reported, 60);
    expect(same).toBe(true);
    expect(rotated).toHaveProperty('access_token');
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
  ])('is treated as a replay if it was used %s', async (_, reported, interval) => {
    const { again, rotated } = await retryOf(reported, interval);
    expect(again).toMatchObject({ error: 'invalid_grant' });
    expect(rotated).toMatchObject({ error: 'invalid_grant' });
  });
});

describe('a refresh request that is repeated until the new refresh token is used', () => {
  const HOUR = 3600;
  const store = () =>
    new MemoryStore({
      clients: [{ ...WEB, secret: SECRET, scopes: ['read', 'write'] }],
      users: { findByCredentials: () => ALICE, findById: () => ALICE },
    });
  type Interval = OAuth2ServerOptions['refreshTokenReuseInterval'];

  afterEach(() => void jest.restoreAllMocks());

  async function begin(refreshTokenReuseInterval: Interval, model = store()) {
    const server = new OAuth2Server({ model, refreshTokenReuseInterval, refreshTokenLifetime: 30 * 24 * HOUR });
    const post = async (body: object) => (await runOperation(server, 'token', tokenRequest({ ...body }))).body;
    const refresh = (token: unknown, more: object = {}) =>
      post({ grant_type: 'refresh_token', refresh_token: token, ...more });
    const first = await post({ grant_type: 'password', username: 'alice', password: 'any', scope: 'read write' });
    const used = first['refresh_token'];
    return { server, model, refresh, used, lost: await refresh(used) };
  }

  function wait(seconds: number) {
    const [now, monotonic] = [Date.now(), performance.now()];
    jest.spyOn(Date, 'now').mockImplementation(() => now + seconds * 1000);
    jest.spyOn(performance, 'now').mockImplementation(() => monotonic + seconds * 1000);
  }

  it.each<[string, Interval, number]>([
    ['six days', 'until-used', 6 * 24 * HOUR],
    ['two days', { untilUsed: 3 * 24 * HOUR }, 2 * 24 * HOUR],
  ])('returns the same refresh token with a new access token after %s', async (_, interval, seconds) => {
    const { server, refresh, used, lost } = await begin(interval);
    wait(seconds);
    const again = await refresh(used);
    expect(again).toMatchObject({ refresh_token: lost['refresh_token'], scope: 'read write', expires_in: HOUR });
    expect(again['access_token']).not.toBe(lost['access_token']);
    const guarded = resourceRequest(`Bearer ${String(again['access_token'])}`);
    expect((await runOperation(server, 'authenticate', guarded)).status).toBe(200);
    expect(await refresh(again['refresh_token'])).toHaveProperty('access_token');
  });

  it('returns the same access token while it is valid', async () => {
    const { refresh, used, lost } = await begin('until-used');
    wait(HOUR / 2);
    expect((await refresh(used))['access_token']).toBe(lost['access_token']);
  });

  it('never lets two refresh tokens live: of 200 concurrent requests, all get the same one', async () => {
    const { refresh, used, lost } = await begin('until-used');
    wait(2 * HOUR);
    const all = await Promise.all(Array.from({ length: 200 }, () => refresh(used)));
    expect(new Set(all.map((one) => one['refresh_token']))).toEqual(new Set([lost['refresh_token']]));
  });

  it.each<[string, Interval, number]>([
    ['after a week', 'until-used', 7 * 24 * HOUR + 1],
    ['after its maximum', { untilUsed: 60 }, 61],
    ['after a plain number of seconds, even if its access token has expired', 10, HOUR + 1],
  ])('is a replay %s', async (_, interval, seconds) => {
    const { refresh, used, lost } = await begin(interval);
    wait(seconds);
    expect(await refresh(used)).toMatchObject({ error: 'invalid_grant' });
    expect(await refresh(lost['refresh_token'])).toMatchObject({ error: 'invalid_grant' });
  });

  it('is a replay that ends the token family once the new refresh token was used', async () => {
    const { refresh, used, lost } = await begin('until-used');
    wait(2 * HOUR);
    await refresh(used);
    const next = await refresh(lost['refresh_token']);
    expect(await refresh(used)).toMatchObject({ error: 'invalid_grant' });
    expect(await refresh(next['refresh_token'])).toMatchObject({ error: 'invalid_grant' });
  });

  it('grants no scope that was withdrawn from the client since the first request', async () => {
    const client = { ...WEB, secret: SECRET, scopes: ['read', 'write'] };
    const users = { findByCredentials: () => ALICE, findById: () => ALICE };
    const model = new MemoryStore({ clients: { findById: () => client }, users });
    const { refresh, used } = await begin('until-used', model);
    client.scopes = ['read'];
    wait(2 * HOUR);
    expect((await refresh(used))['scope']).toBe('read');
  });

  it('rejects another scope than that of the first request', async () => {
    const { refresh, used } = await begin('until-used');
    wait(2 * HOUR);
    expect(await refresh(used, { scope: 'read' })).toMatchObject({ error: 'invalid_scope' });
  });
});
