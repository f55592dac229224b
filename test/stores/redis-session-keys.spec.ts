import { randomUUID } from 'node:crypto';

import { expect, it } from '@jest/globals';
import { RedisStore } from 'nest-oauth2/stores/redis';

import { later } from '../support/models/model.js';
import { describeEach } from '../support/environment/requirements.js';
import { DRIVERS, findRedis, Keys } from './redis-server.js';
import { users } from './typeorm-databases.js';

describeEach(await findRedis())('the sessions of a Redis store at %s', (url) => {
  it('sessions in Redis are in the list of their user, and in no list of a client', async () => {
    const keys = new Keys([url]);
    const connected = await DRIVERS[0]![1]([url]);
    const store = new RedisStore({ client: connected.client, users, prefix: keys.prefix });
    for (const id of ['one', 'two']) {
      await store.saveSession({ sessionId: randomUUID(), user: { id }, authTime: new Date(), expiresAt: later(60) });
    }
    const names = [...(await keys.contents()).keys()];
    expect(names.filter((name) => name.startsWith('grants-of-client:'))).toEqual([]);
    expect(names.filter((name) => name.startsWith('grants-of-user:')).toSorted()).toEqual([
      'grants-of-user:session:one',
      'grants-of-user:session:two',
    ]);
    await keys.remove();
    await connected.close();
  });
});
