import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { type IoRedisClient, RedisStore } from 'nest-oauth2/stores/redis';

import { later } from '../support/model.js';
import { describeEach } from '../support/requirements.js';
import { WEB } from './every-store.js';
import { findRedis, Keys } from './redis-server.js';
import { findDatabases, open, type Opened, ownPrefix, users } from './typeorm-databases.js';

const DOCUMENT = { id: 'https://stranger.example/client.json', grants: [] };

describeEach((await findRedis()).map((url) => ({ url })))('the keys that strangers create in Redis', ({ url }) => {
  const keys = new Keys([url]);
  const redis = new Redis(url);
  const store = new RedisStore({ client: redis as unknown as IoRedisClient, users, prefix: keys.prefix });
  const withoutExpiry = async () => {
    const all = await redis.keys(`${keys.prefix}*`);
    const left = await Promise.all(all.map((key) => redis.pttl(key)));
    return all.filter((_, index) => left[index]! < 0).map((key) => key.slice(keys.prefix.length));
  };
  afterAll(async () => {
    await keys.remove();
    await redis.quit();
  });

  it('all expire: device codes, pushed requests and removed registrations', async () => {
    await store.saveClient(WEB);
    const device = { deviceCode: 'd', userCode: 'u', expiresAt: later(), interval: 5, scope: 'read' };
    await store.saveDeviceAuthorization(device, DOCUMENT);
    const times = { openUntil: later(), expiresAt: later() };
    await store.savePushedRequest({ requestUri: 'r', clientId: DOCUMENT.id, parameters: {}, ...times } as never);
    await store.createClient({ ...WEB, id: 'dcr_removed' });
    await store.saveToken({ accessToken: 't', accessTokenExpiresAt: later(), grantId: 'g' }, DOCUMENT, { id: 'u1' });
    await store.removeClient('dcr_removed');
    await store.removeClient('dcr_never_used');
    await store.revokeGrantsOf({ clientId: 'https://other.example/client.json' });
    expect((await withoutExpiry()).toSorted()).toEqual([`client:${WEB.id}`, 'clients']);
    expect(await redis.zrange(`${keys.prefix}clients`, 0, -1)).toEqual([WEB.id]);
    const client = await redis.pttl(`${keys.prefix}client:${DOCUMENT.id}`);
    expect(client).toBeGreaterThan(await redis.pttl(`${keys.prefix}grant:g`));
  });

  it('keep a client that is saved after its first grant', async () => {
    await store.saveToken(
      { accessToken: 'a', accessTokenExpiresAt: later() },
      { id: 'late', grants: [] },
      { id: 'u1' },
    );
    await store.saveClient({ ...WEB, id: 'late' });
    expect(await redis.pttl(`${keys.prefix}client:late`)).toBe(-1);
    expect(await store.getAccessToken('a')).toBeDefined();
  });
});

describe.each(await findDatabases())('the rows of removed clients on $name', (database) => {
  let opened: Opened;
  let table: string;
  beforeAll(async () => {
    const prefix = ownPrefix('removed');
    table = `${prefix}clients`;
    opened = await open(database, prefix, { store: { users } });
  });
  afterAll(() => opened.close());

  it('are deleted a day after the removal, but not before their grants', async () => {
    const { store, dataSource } = opened;
    const ids = async () => (await dataSource.query(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }: never) => id);
    for (const id of ['dcr_idle', 'dcr_used', 'kept']) await store.saveClient({ ...WEB, id });
    const token = { accessToken: 'stolen', accessTokenExpiresAt: later(), grantId: 'stolen' };
    await store.saveToken(token, { ...WEB, id: 'dcr_used' }, { id: 'u1' });
    for (const id of ['dcr_idle', 'dcr_used', 'dcr_never_used']) await store.removeClient(id);
    await store.prune();
    expect(await ids()).toEqual(['dcr_idle', 'dcr_never_used', 'dcr_used', 'kept']);
    await dataSource.query(`UPDATE ${table} SET created_at = created_at - 90000000`);
    expect(await store.prune()).toBe(2);
    expect(await ids()).toEqual(['dcr_used', 'kept']);
    await store.saveClient({ ...WEB, id: 'dcr_used' });
    expect(await store.getAccessToken('stolen')).toBeUndefined();
  });
});
