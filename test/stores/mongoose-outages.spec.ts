import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import mongoose, { type Connection } from 'mongoose';
import { OAuth2Server } from 'nest-oauth2/server';
import { MongooseStore } from 'nest-oauth2/stores/mongoose';
import { isOutage } from 'nest-oauth2/stores';

import { ALICE, later, SECRET, WEB } from '../support/models/model.js';
import { hasMongo, mongoUrl, openMongo, startMongo } from '../support/environment/mongo-server.js';
import { resourceRequest, runOperation, tokenRequest } from '../support/clients/requests.js';
import { Clock, restoreClocks, skewClocks } from '../support/environment/skewed-clock.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { users } from './mongoose-fixtures.js';

// The tests stop and start the server, so they run against a server of their own, never against `MONGODB_URL`.
const describeMongo = hasMongo() && !process.env['MONGODB_URL'] ? describe : describe.skip;
const HOUR = 3_600_000;

describeMongo('a Mongoose store on a server that fails', () => {
  const clients = { findById: () => ({ ...WEB, secret: SECRET }) };
  let started: Awaited<ReturnType<typeof startMongo>>;
  let connection: Connection;
  let store: MongooseStore;
  let server: OAuth2Server;
  const authenticate = () => runOperation(server, 'authenticate', resourceRequest('Bearer access'));
  const issue = () => runOperation(server, 'token', tokenRequest({ grant_type: 'client_credentials' }));

  beforeAll(async () => {
    started = await startMongo();
    connection = await openMongo(started.url);
    store = new MongooseStore(connection, { users, clients, deadline: 2 });
    server = new OAuth2Server({ model: store });
  }, 60_000);
  afterAll(async () => {
    await connection.close();
    await started.stop();
  });

  it.each([-HOUR, HOUR])('measures times by the clock of the server if the process is %i ms ahead', async (offset) => {
    skewClocks();
    await new Clock(offset).at(async () => {
      const name = String(offset);
      const now = performance.timeOrigin + performance.now();
      const expiry = new Date(now + 2 * HOUR);
      const refresh = { refreshToken: `refresh ${name}`, refreshTokenExpiresAt: expiry };
      const token = { accessToken: `access ${name}`, accessTokenExpiresAt: expiry, ...refresh, grantId: name };
      await store.saveToken(token, { ...WEB }, ALICE);
      const grant = (await store.listGrants('alice')).find(({ id }) => id === name);
      expect(Math.abs(grant!.createdAt.getTime() - now)).toBeLessThan(60_000);
      expect(await store.revokeToken(token)).toBe(true);
      expect((await store.getRefreshToken(token.refreshToken))!.revokedAgo).toBeLessThan(60);
      expect(await store.once(`value ${name}`, 600)).toBe(true);
      // This process sets `keepUntil` by its own clock, so by the clock of the server it may have passed.
      await store.prune();
      expect(await store.once(`value ${name}`, 600)).toBe(false);
      const before = await store.revokeBefore();
      expect(Math.abs(before.getTime() - now)).toBeLessThan(60_000);
      await waitUntil(async () => !(await store.getAccessToken(token.accessToken)));
    });
    restoreClocks();
  });

  it('responds with 503 while the server does not respond, and recovers', async () => {
    await store.saveToken(
      { accessToken: 'access', accessTokenExpiresAt: later(), grantId: 'outage' },
      { ...WEB },
      ALICE,
    );
    expect((await authenticate()).status).toBe(200);
    started.server.kill('SIGSTOP');
    // On a busy machine, it takes a moment until all threads of the server have stopped.
    await waitUntil(async () => (await authenticate()).status !== 200);
    const results = await Promise.all([authenticate(), issue(), authenticate(), issue()]);
    started.server.kill('SIGCONT');
    expect(results.map(({ status, error }) => [status, error?.name])).toEqual(
      results.map(() => [503, 'temporarily_unavailable']),
    );
    await waitUntil(async () => (await authenticate()).status === 200 && (await issue()).status === 200);
  }, 60_000);

  it('responds with 503 while there is no server', async () => {
    const lazy = mongoose.createConnection('mongodb://127.0.0.1:9/', { serverSelectionTimeoutMS: 2000 });
    const failed = lazy.asPromise().catch(() => undefined);
    const unreachable = new MongooseStore(lazy, { users, deadline: 0.3 });
    await expect(unreachable.getAccessToken('access')).rejects.toMatchObject({ code: 503 });
    await failed;
    await lazy.close();
    await started.stop();
    expect((await authenticate()).status).toBe(503);
    expect((await issue()).status).toBe(503);
  }, 60_000);

  it.each([91, 189, 10_107, 11_600, 13_435, 64])('treats the server error %i as an outage', (code) => {
    const error = new mongoose.mongo.MongoServerError({ code, errmsg: 'injected' });
    expect(isOutage(error)).toBe(true);
    expect(isOutage(new mongoose.mongo.MongoServerError({ code: 9, errmsg: 'FailedToParse' }))).toBe(false);
  });

  it('treats a bulk write that failed because of the network or the write concern as an outage', () => {
    const { MongoBulkWriteError, MongoNetworkError } = mongoose.mongo;
    // The driver does not export its class.
    class WriteConcernError {
      get code() {
        return 64;
      }
      get errmsg() {
        return 'waiting for replication timed out';
      }
    }
    const bulk = (cause: object) => new MongoBulkWriteError(cause as never, {} as never);
    expect(isOutage(bulk(new MongoNetworkError('connection closed')))).toBe(true);
    expect(isOutage(bulk(new WriteConcernError()))).toBe(true);
    expect(isOutage(bulk({ message: 'duplicate key', code: 11_000 }))).toBe(false);
  });

  it('responds with 503 if the connection breaks while tokens are saved', async () => {
    const mongod = new URL(await mongoUrl());
    const proxy = createServer((client) => {
      const upstream = connect(Number(mongod.port), mongod.hostname);
      for (const socket of [client, upstream]) socket.on('error', () => undefined);
      upstream.pipe(client);
      client.on('data', (data) => (data.includes('insert') ? client.destroy() : upstream.write(data)));
      client.on('close', () => upstream.destroy());
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = proxy.address() as AddressInfo;
    const broken = await openMongo(`mongodb://127.0.0.1:${port}/?directConnection=true`);
    const saving = new MongooseStore(broken, { users, clients, deadline: 15 });
    const token = { accessToken: 'broken', accessTokenExpiresAt: later(), grantId: 'broken' };
    await expect(saving.saveToken(token, { ...WEB }, ALICE)).rejects.toMatchObject({ status: 503 });
    await broken.close();
    proxy.close();
  });

  it('names the missing call if the connection was never opened', async () => {
    const closed = new MongooseStore(mongoose.createConnection(), { users });
    await expect(closed.getAccessToken('access')).rejects.toThrow('Call `mongoose.connect()`');
    expect(() => new MongooseStore({} as Connection, { users })).toThrow(
      'MongooseStore needs a connection of Mongoose',
    );
  });
});
