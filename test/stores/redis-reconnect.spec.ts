import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TemporarilyUnavailableError } from 'nest-oauth2/server';
import { RedisStore } from 'nest-oauth2/stores/redis';

import { ALICE, later, WEB } from '../support/models/model.js';
import { users } from './redis-fixtures.js';
import { describeEach } from '../support/environment/requirements.js';
import { type Connected, DRIVERS, findRedis, Keys } from './redis-server.js';
import { SilentNetwork } from './silent-network.js';

const [url] = await findRedis();

describeEach(url === undefined ? [] : DRIVERS)('a Redis store with %s that loses its connection', (_, connect) => {
  let network: SilentNetwork;
  let keys: Keys;
  let connected: Connected;
  let store: RedisStore;
  beforeAll(async () => {
    network = await SilentNetwork.to(url!, 6379);
    keys = new Keys([url!]);
    connected = await connect([network.urlOf(url!)]);
    (connected.client as unknown as { on(event: string, listener: () => void): void }).on('error', () => {});
    const clients = { findById: () => WEB };
    store = new RedisStore({ ...connected, users, clients, prefix: keys.prefix, deadline: 15 });
  });
  afterAll(async () => {
    await connected.close();
    await network.close();
    await keys.remove();
  });

  it('repeats commands without response, and still consumes a value only once', async () => {
    const saved = { expiresAt: later(), grantId: 'g' };
    const one = async (authorizationCode: string) => {
      await store.saveAuthorizationCode({ authorizationCode, ...saved }, WEB, ALICE);
      const won = await Promise.all([1, 2].map(() => store.revokeAuthorizationCode({ authorizationCode })));
      return won.filter(Boolean).length;
    };
    const counts: Promise<number[]>[] = [];
    for (let cut = 0; cut < 12; cut++) {
      counts.push(Promise.all(Array.from({ length: 40 }, (__, n) => one(`${cut}-${n}`))));
      await rest(Math.random() * 15);
      network.cut();
      await rest(60);
    }
    expect((await Promise.all(counts)).flat()).toEqual(Array<number>(480).fill(1));
  });

  it('rejects calls with temporarily_unavailable until the connection is restored', async () => {
    const short = new RedisStore({ ...connected, users, clients: { findById: () => WEB }, deadline: 0.3 });
    network.refuse();
    const requested = short.getAccessToken('access');
    await expect(requested).rejects.toThrow(TemporarilyUnavailableError);
    await expect(requested).rejects.toMatchObject({ status: 503, retryAfter: expect.any(Number) });
    network.recover();
    expect(await store.getAccessToken('access')).toBeUndefined();
  });
});
