import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RedisStore } from 'nest-oauth2/stores/redis';
import { describeModelContract } from 'nest-oauth2/testing';
import { SILENT_RUN } from '../kit/silent-run.js';

import { FIXTURES, makeStore } from './redis-fixtures.js';
import { type Connected, DRIVERS, findRedis, Keys } from './redis-server.js';

const servers = await findRedis();

it('the Redis contract tests run with ioredis and node-redis', () => {
  expect(DRIVERS.map(([name]) => name)).toEqual(['ioredis', 'node-redis']);
});

for (const [name, connect] of servers.length > 0 ? DRIVERS : []) {
  describe(`the model contract for a Redis store with ${name}`, () => {
    const keys = new Keys(servers);
    let connected: Connected;
    let store: RedisStore;
    beforeAll(async () => {
      connected = await connect(servers);
      store = await makeStore(connected.client, { prefix: keys.prefix });
    });
    afterAll(async () => {
      await keys.remove();
      await connected.close();
    });

    const makeModel = () => ({ model: store, ...FIXTURES });
    describeModelContract(`RedisStore over ${name}`, makeModel, SILENT_RUN);
  });
}
