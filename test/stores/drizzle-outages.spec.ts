import { EventEmitter } from 'node:events';

import { describe, expect, it, jest } from '@jest/globals';
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { drizzle } from 'drizzle-orm/node-postgres';
import { withReplicas } from 'drizzle-orm/pg-core';
import type { Connection } from 'mysql2/promise';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import { Client, Pool } from 'pg';

import { ALICE, later, WEB } from '../support/models/model.js';
import { users } from './typeorm-databases.js';

/** Returns a pool without a database, and a store on it. */
function createStore() {
  const pool = new Pool();
  const store = new DrizzleStore(drizzle(pool), { users, clients: { findById: () => WEB }, deadline: 0.3 });
  return { pool, store };
}

describe('a Drizzle store on a pool of pg', () => {
  it('keeps the process alive when PostgreSQL closes an idle connection', () => {
    const { pool } = createStore();
    expect(() => pool.emit('error', new Error('terminating connection'), {})).not.toThrow();
  });

  it('keeps the process alive when PostgreSQL closes a connection between two statements of a transaction', () => {
    const { pool } = createStore();
    const connection = new EventEmitter();
    pool.emit('acquire', connection);
    expect(() => connection.emit('error', new Error('terminating connection'))).not.toThrow();
  });

  it('adds its listeners once, however many stores share the pool', () => {
    const { pool } = createStore();
    const stores = Array.from({ length: 20 }, () => new DrizzleStore(drizzle(pool), { users }));
    expect([stores.length, pool.listenerCount('error')]).toEqual([20, 1]);
  });

  it.each(['Connection terminated unexpectedly', 'timeout exceeded when trying to connect', 'Query read timeout'])(
    'rejects calls with the status 503 and without values of the statement after the driver error "%s"',
    async (message) => {
      const { pool, store } = createStore();
      const connection = { query: () => Promise.reject(new Error(message)), release: () => undefined };
      pool.connect = () => Promise.resolve(connection) as never;
      const saved = { accessToken: 'access', accessTokenExpiresAt: later(), grantId: 'grant' };
      const failure = store.saveToken(saved, WEB, ALICE);
      await expect(failure).rejects.toMatchObject({ status: 503, retryAfter: 1, message });
    },
  );

  it('returns each connection to its pool with the error of the driver, so that the pool closes it', async () => {
    const { pool, store } = createStore();
    const released: unknown[] = [];
    const failure = new Error('Connection terminated unexpectedly');
    const query = jest.fn(() => Promise.resolve({ rows: [], rowCount: 0 }));
    const release = (error: unknown) => void released.push(error);
    pool.connect = () => Promise.resolve({ query, release }) as never;
    await store.getAccessToken('access');
    query.mockImplementation(() => Promise.reject(failure));
    await expect(store.getAccessToken('access')).rejects.toThrow(failure.message);
    expect(released).toEqual([undefined, failure]);
  });
});

describe('a Drizzle store on a database with replicas', () => {
  it('is rejected at start-up with an error that names the primary', () => {
    const primary = drizzle(new Pool());
    const db = withReplicas(primary, [drizzle(new Pool())]);
    expect(() => new DrizzleStore(db, { users })).toThrow(/has replicas.*`new DrizzleStore\(db\.\$primary, …\)`/);
    expect(() => new DrizzleStore(db.$primary, { users })).not.toThrow();
  });
});

describe('a Drizzle store on a single connection', () => {
  it.each([
    ['a `Client` of pg', () => drizzle(new Client())],
    // mysql2 connects at once. A connection differs from a pool by the methods that it has.
    ['a connection of mysql2', () => drizzleMysql({ beginTransaction: () => undefined } as unknown as Connection)],
  ])('is rejected at start-up for %s, whose transactions would include statements of the store', (_, open) => {
    expect(() => new DrizzleStore(open(), { users })).toThrow(/single connection.*`new Pool\(\)`/);
  });
});
