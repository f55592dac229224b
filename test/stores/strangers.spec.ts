import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { type Connection, mongo } from 'mongoose';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { MongooseStore } from 'nest-oauth2/stores/mongoose';
import { RedisStore } from 'nest-oauth2/stores/redis';

import { later } from '../support/models/model.js';
import { hasMongo, mongoUrl, openMongo } from '../support/environment/mongo-server.js';
import { describeEach } from '../support/environment/requirements.js';
import { WEB } from './every-store.js';
import { makeStore } from './mongoose-fixtures.js';
import { findRedis, Keys } from './redis-server.js';
import { findDatabases, open, type Opened, ownPrefix, users } from './typeorm-databases.js';

/** Milliseconds of 25 hours. */
const MORE_THAN_A_DAY = 90_000_000;

const DOCUMENT = { id: 'https://stranger.example/client.json', grants: [] };

describeEach((await findRedis()).map((url) => ({ url })))('the keys that strangers create in Redis', ({ url }) => {
  const keys = new Keys([url]);
  const redis = new Redis(url);
  const store = new RedisStore({ client: redis, users, prefix: keys.prefix });
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
    await store.savePushedRequest({ requestUri: 'r', clientId: DOCUMENT.id, parameters: {}, ...times });
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
    await dataSource.query(`UPDATE ${table} SET created_at = created_at - ${MORE_THAN_A_DAY}`);
    expect(await store.prune()).toBe(2);
    expect(await ids()).toEqual(['dcr_used', 'kept']);
    await store.saveClient({ ...WEB, id: 'dcr_used' });
    expect(await store.getAccessToken('stolen')).toBeUndefined();
  });
});

describeEach(hasMongo() ? [{ name: 'Mongoose' }] : [])('the documents that count revocations with $name', () => {
  let connection: Connection;
  let store: MongooseStore;
  /** The store of an application that finds its clients elsewhere, such as in documents. */
  let other: MongooseStore;
  type Counts = mongo.Collection<{ _id: string; unusedSince?: Date }>;
  const collection = (name: string) => connection.db!.collection(`oauth_${name}`) as unknown as Counts;
  const ids = async (name: string) => (await collection(name).distinct('_id')).toSorted();
  const token = (id: string) => ({ accessToken: id, accessTokenExpiresAt: later(), grantId: id });
  const clear = async () => {
    for (const name of ['clients', 'users', 'grants', 'tokens']) await collection(name).deleteMany({});
  };
  /** Makes each document that has a time of `prune()` a day older. */
  const wait = async () => {
    for (const name of ['clients', 'users']) {
      const unusedSince = new Date(Date.now() - MORE_THAN_A_DAY);
      await collection(name).updateMany({ unusedSince: { $exists: true } }, { $set: { unusedSince } });
    }
  };
  beforeAll(async () => {
    connection = await openMongo(await mongoUrl());
    store = await makeStore(connection);
    const anyUser = { findByCredentials: () => undefined, findById: (id: string) => ({ id }) };
    const clients = { findById: (id: string) => ({ ...DOCUMENT, id }) };
    other = await makeStore(connection, { users: anyUser, clients });
    await clear();
  });
  afterEach(clear);
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
  });

  it('are deleted a day after the last grant of a removed client, but not before', async () => {
    for (const id of ['idle', 'used', 'kept']) await store.saveClient({ ...WEB, id });
    await store.saveToken(token('stolen'), { ...WEB, id: 'used' }, { id: 'u1' });
    for (const id of ['idle', 'used', 'never-saved']) await store.removeClient(id);
    await store.revokeGrantsOf({ clientId: DOCUMENT.id });
    const all = [DOCUMENT.id, 'idle', 'kept', 'never-saved', 'used'];
    await store.prune();
    await store.prune();
    expect(await ids('clients')).toEqual(all.toSorted());
    await wait();
    expect(await store.prune()).toBe(3);
    expect(await ids('clients')).toEqual(['kept', 'used']);
    await store.saveClient({ ...WEB, id: 'used' });
    expect(await store.getAccessToken('stolen')).toBeUndefined();
  });

  it('are deleted a day after the last grant of a user, but not before', async () => {
    const found = async () => (await ids('users')).filter((id) => id.length === 2);
    await other.saveToken(token('stolen'), DOCUMENT, { id: 'u1' });
    expect(await other.getAccessToken('stolen')).toBeDefined();
    for (const userId of ['u1', 'u2']) await other.revokeGrantsOf({ userId });
    await other.prune();
    expect(await found()).toEqual(['u1', 'u2']);
    await wait();
    await other.prune();
    expect(await ids('users')).toEqual(['u1']);
    expect(await other.getAccessToken('stolen')).toBeUndefined();
    await collection('grants').deleteMany({});
    await other.prune();
    await wait();
    expect(await other.prune()).toBe(1);
    expect(await ids('users')).toEqual([]);
  });

  it('stay for another day if the client is saved and removed again', async () => {
    await store.removeClient('again');
    await store.prune();
    await wait();
    await store.saveClient({ ...WEB, id: 'again' });
    await store.prune();
    await store.removeClient('again');
    await store.prune();
    expect(await ids('clients')).toEqual(['again']);
  });

  it('are not deleted while a grant is saved that depends on them', async () => {
    await other.revokeGrantsOf({ clientId: DOCUMENT.id });
    for (const userId of ['u1', 'u3']) await other.revokeGrantsOf({ userId });
    await other.prune();
    await wait();
    const { updateOne } = mongo.Collection.prototype;
    let pruned = 0;
    // The counts were read when the grant is written.
    jest.spyOn(mongo.Collection.prototype, 'updateOne').mockImplementation(async function (this: never, ...call) {
      if ((this as mongo.Collection).collectionName === 'oauth_grants') pruned += await store.prune();
      return updateOne.apply(this, call);
    });
    await other.saveToken(token('new'), DOCUMENT, { id: 'u1' });
    jest.restoreAllMocks();
    expect(await ids('clients')).toEqual([DOCUMENT.id]);
    expect(await ids('users')).toEqual(['u1']);
    expect(pruned).toBe(1);
    expect(await other.getAccessToken('new')).toBeDefined();
  });
});

describe('the removed clients of MemoryStore', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('are forgotten a day after the removal, but not before their grants', async () => {
    const store = new MemoryStore({ clients: [WEB], users });
    const client = { ...WEB, id: 'used' };
    for (const id of ['idle', 'used']) await store.createClient({ ...WEB, id });
    const expiry = new Date(Date.now() + 2 * MORE_THAN_A_DAY);
    await store.saveToken({ accessToken: 'stolen', accessTokenExpiresAt: expiry }, client, { id: 'u1' });
    for (const id of ['idle', 'used', 'never-saved']) await store.removeClient(id);
    expect(await store.prune()).toBe(0);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => now + MORE_THAN_A_DAY);
    expect(await store.prune()).toBe(2);
    await store.saveClient(client);
    expect(await store.getAccessToken('stolen')).toBeUndefined();
    await store.removeClient('used');
    jest.spyOn(Date, 'now').mockImplementation(() => now + 4 * MORE_THAN_A_DAY);
    // The token, its grant and the removed client.
    expect(await store.prune()).toBe(3);
    expect(await store.prune()).toBe(0);
  });
});
