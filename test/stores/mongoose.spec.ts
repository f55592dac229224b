import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection, mongo } from 'mongoose';
import { MongooseStore } from 'nest-oauth2/stores/mongoose';

import { later } from '../support/models/model.js';
import { hasMongo, mongoUrl, openMongo } from '../support/environment/mongo-server.js';
import { ALICE, makeStore, users, WEB } from './mongoose-fixtures.js';

const describeMongo = hasMongo() ? describe : describe.skip;
const keyOf = (kind: string, token: string) => `${kind} ${createHash('sha256').update(token).digest('base64url')}`;
const tokens = (name: string, grantId = name) => ({
  accessToken: `access ${name}`,
  accessTokenExpiresAt: later(),
  refreshToken: `refresh ${name}`,
  refreshTokenExpiresAt: later(),
  scope: 'read',
  grantId,
});

describeMongo('a Mongoose store', () => {
  let connection: Connection;
  let store: MongooseStore;
  let another: MongooseStore;
  let other: Connection;
  const commands: string[] = [];
  beforeAll(async () => {
    const url = await mongoUrl();
    connection = await openMongo(url, { monitorCommands: true });
    other = await openMongo(url, { dbName: connection.name });
    store = await makeStore(connection);
    another = new MongooseStore(other, { users, deadline: 15 });
    connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName));
  }, 60_000);
  afterAll(async () => {
    await connection.dropDatabase();
    await connection.close();
    await other.close();
  });

  const rows = () => connection.db!.collection<{ _id: string } & Record<string, unknown>>('oauth_tokens');

  /** Returns the names of the commands that an operation sends. */
  const sent = async (act: () => Promise<unknown>) => {
    const before = commands.length;
    expect(await act()).toBeTruthy();
    return commands.slice(before).toSorted();
  };

  /** Fails every command that `isLost` selects, as if the process stopped before it was sent. */
  async function withoutCommands<T>(isLost: (method: string, collection: string) => boolean, act: () => Promise<T>) {
    const { db } = connection;
    const collection = db!.collection.bind(db);
    const failing = (name: string, options?: mongo.CollectionOptions) =>
      new Proxy(collection(name, options), {
        get(target, method) {
          const value: unknown = Reflect.get(target, method);
          if (typeof value !== 'function') return value;
          if (isLost(String(method), name)) return () => Promise.reject(new Error('the process stopped'));
          return value.bind(target) as unknown;
        },
      });
    Object.assign(db!, { collection: failing });
    try {
      return await act();
    } finally {
      Reflect.deleteProperty(db!, 'collection');
    }
  }

  it('sends one command to find a token, and at most six to redeem one', async () => {
    const saved = await sent(() => store.saveToken(tokens('counted'), WEB, ALICE));
    expect(saved).toEqual(['find', 'find', 'insert', 'update']);
    expect(await sent(async () => store.getAccessToken('access counted'))).toEqual(['aggregate']);
    const used = (await store.getRefreshToken('refresh counted'))!;
    const redeemed = await sent(() => store.redeem(used, tokens('redeemed', 'counted'), WEB, ALICE));
    expect(redeemed).toEqual(['findAndModify', 'insert', 'update', 'update', 'update']);
    expect(await sent(() => store.once('a single-use value', 60))).toEqual(['update']);
    expect(await sent(() => store.revokeGrant('counted').then(() => true))).toEqual(['aggregate', 'update']);
  });

  it('redeems a refresh token for one of 200 concurrent callers on two connections', async () => {
    await store.saveToken(tokens('raced'), WEB, ALICE);
    const used = (await store.getRefreshToken('refresh raced'))!;
    const redeem = (_: unknown, index: number) =>
      [store, another][index % 2]!.redeem(used, tokens(`raced ${index}`, 'raced'), WEB, ALICE);
    const results = await Promise.all(Array.from({ length: 200 }, redeem));
    const winners = results.filter(Boolean);
    expect(winners).toHaveLength(1);
    expect(await another.getAccessToken(winners[0]!.accessToken)).toBeDefined();
    const left = await rows().countDocuments({ grantId: 'raced' });
    expect(left).toBe(4);
    expect(await rows().countDocuments({ pending: { $ne: null as never } })).toBe(0);
  }, 60_000);

  it('accepts a single-use value once from 200 concurrent callers, and again after its time', async () => {
    const once = (value: string, seconds: number, count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => [store, another][index % 2]!.once(value, seconds)));
    expect((await once('raced value', 600, 200)).filter(Boolean)).toHaveLength(1);
    expect(await store.once('short value', 0.5)).toBe(true);
    await setTimeout(600);
    expect((await once('short value', 600, 200)).filter(Boolean)).toHaveLength(1);
  }, 60_000);

  it('never finds a token that was saved while the grants of its user were revoked', async () => {
    const user = { id: 'bob' };
    for (let round = 0; round < 20; round += 1) {
      const name = `concurrent ${round}`;
      await Promise.all([store.saveToken(tokens(name), WEB, user), another.revokeGrantsOf({ userId: 'bob' })]);
      await store.revokeGrantsOf({ userId: 'bob' });
      expect(await another.getAccessToken(`access ${name}`)).toBeUndefined();
    }
    await store.saveToken(tokens('afterwards'), WEB, user);
    expect(await another.getAccessToken('access afterwards')).toBeDefined();
    expect(await another.revokeGrantsOf({ userId: 'bob', clientId: 'other' })).toBe(0);
    expect(await another.revokeGrantsOf({ userId: 'bob', clientId: WEB.id })).toBe(1);
    expect(await store.getAccessToken('access afterwards')).toBeUndefined();
  }, 60_000);

  it('changes nothing if the process stops before the used row is marked', async () => {
    await store.saveToken(tokens('stopped'), WEB, ALICE);
    const used = (await store.getRefreshToken('refresh stopped'))!;
    const grant = (await store.listGrants('alice')).find(({ id }) => id === 'stopped');
    const redeem = () => store.redeem(used, tokens('lost', 'stopped'), WEB, ALICE);
    await expect(withoutCommands((method) => method === 'findOneAndUpdate', redeem)).rejects.toThrow('stopped');
    expect(await rows().countDocuments({ _id: keyOf('access', 'access lost') })).toBe(1);
    expect(await store.getAccessToken('access lost')).toBeUndefined();
    expect(await store.revokeToken({ refreshToken: 'refresh lost' })).toBe(false);
    expect((await store.getRefreshToken('refresh stopped'))!.revokedAt).toBeUndefined();
    expect((await store.listGrants('alice')).filter(({ id }) => id === 'stopped')).toEqual([grant]);
    expect(await store.redeem(used, tokens('retried', 'stopped'), WEB, ALICE)).toBeTruthy();
    expect(await store.getAccessToken('access lost')).toBeUndefined();
  });

  it('finishes a redemption that stopped after the used row was marked', async () => {
    await store.saveToken(tokens('marked'), WEB, ALICE);
    const used = (await store.getRefreshToken('refresh marked'))!;
    const redeem = () => store.redeem(used, tokens('finished', 'marked'), WEB, ALICE);
    const isLater = (method: string) => method === 'bulkWrite';
    expect(await withoutCommands(isLater, redeem)).toBeTruthy();
    expect(
      await rows().countDocuments({ _id: keyOf('access', 'access finished'), pending: { $ne: null as never } }),
    ).toBe(1);
    expect(await another.getAccessToken('access finished')).toBeDefined();
    // The refresh token is used without being read before.
    const results = await Promise.all(
      [store, another].map((each) => each.revokeToken({ refreshToken: 'refresh finished' })),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect((await store.getRefreshToken('refresh marked'))!.revokedAt).toBeInstanceOf(Date);
  });

  it('keeps IDs apart that differ in case, dots, dollar signs or spaces', async () => {
    const ids = ['Zoë 漢字', 'zoë 漢字', '$data', 'a.b', 'a', 'a ', '__proto__', 'constructor'];
    const everyone = { findById: (id: string) => ({ id }), findByCredentials: () => undefined };
    const large = new MongooseStore(connection, { users: everyone, deadline: 15 });
    for (const id of ids) await large.saveToken(tokens(`of ${id}`), WEB, { id });
    expect(await large.revokeGrantsOf({ userId: 'a', clientId: WEB.id })).toBe(1);
    expect(await large.revokeGrantsOf({ userId: '__proto__' })).toBe(1);
    const active = await Promise.all(ids.map((id) => large.getAccessToken(`access of ${id}`)));
    expect(active.map(Boolean)).toEqual(ids.map((id) => id !== 'a' && id !== '__proto__'));
    await expect(large.saveToken(tokens('surrogate'), WEB, { id: '\uD800' })).rejects.toThrow('unpaired surrogate');
  });

  it('creates its indexes once, and names missing ones with `autoIndex: false`', async () => {
    await Promise.all([store.checkSchema(), another.checkSchema()]);
    const verifying = (prefix: string) =>
      new MongooseStore(connection, { users, prefix, autoIndex: false }).checkSchema();
    await expect(verifying('oauth_')).resolves.toBeUndefined();
    await expect(verifying('none_')).rejects.toThrow('`none_tokens` of MongooseStore lacks indexes: `oauth_expiry`');
    const [, expiry] = await rows().indexes();
    expect(expiry).toMatchObject({ key: { keepUntil: 1 }, expireAfterSeconds: 86_400 });
  });

  it('deletes expired rows in batches, and remembered values only after their time', async () => {
    const soon = new Date(Date.now() + 50);
    for (const name of ['1', '2', '3'])
      await store.saveToken(
        { accessToken: `short ${name}`, accessTokenExpiresAt: soon, grantId: `short ${name}` },
        WEB,
        ALICE,
      );
    await store.once('remembered', 600);
    await rows().updateOne({ milliseconds: 600_000 }, { $set: { keepUntil: new Date(0) } });
    await setTimeout(100);
    expect(await store.prune({ batchSize: 2 })).toBeGreaterThanOrEqual(3);
    expect(await store.getAccessToken('short 1')).toBeUndefined();
    expect(await store.once('remembered', 600)).toBe(false);
  });
});
