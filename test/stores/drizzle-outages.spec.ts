import { EventEmitter } from 'node:events';

import { describe, expect, it } from '@jest/globals';
import { drizzle } from 'drizzle-orm/node-postgres';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import { Pool } from 'pg';

import { ALICE, later, WEB } from '../support/model.js';
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
      pool.query = () => Promise.reject(new Error(message));
      const saved = { accessToken: 'access', accessTokenExpiresAt: later(), grantId: 'grant' };
      const failure = store.saveToken(saved, WEB, ALICE);
      await expect(failure).rejects.toMatchObject({ status: 503, retryAfter: 1, message });
    },
  );
});
