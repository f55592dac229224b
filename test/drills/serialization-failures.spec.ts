import { setTimeout as rest } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { drizzle } from 'drizzle-orm/node-postgres';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { Client, DatabaseError, Pool } from 'pg';

import { Load, users } from './load.js';
import { openTypeOrm } from './open-typeorm.js';
import { canRunPostgres, PostgresServer } from './postgres-server.js';
import { DrillServers } from './processes.js';
import { lossFigures, recoveryFigures, report } from './report.js';

/** Milliseconds of load. */
const DURATION = 2000;
/** The errors that PostgreSQL reports for a serialization failure and for a deadlock. */
const CODES = ['40001', '40P01'];

/** The share of statements that fail, and the number of failed ones. */
const faults = { share: 0, count: 0 };

/** A connection that lets some statements of the store fail without effect, as the server does after a conflict. */
class FaultyClient extends Client {
  constructor(...args: ConstructorParameters<typeof Client>) {
    super(...args);
    const query = this.query.bind(this) as (...values: unknown[]) => unknown;
    const faulty = (...values: unknown[]): unknown => {
      const [config] = values as [string | { text?: string }];
      const text = typeof config === 'string' ? config : String(config.text);
      if (!text.includes('"oauth_') || Math.random() >= faults.share) return query(...values);
      const error = new DatabaseError('injected', 8, 'error');
      error.code = CODES[faults.count++ % CODES.length];
      const callback = values.at(-1);
      if (typeof callback !== 'function') return Promise.reject(error);
      setImmediate(() => callback(error));
      return undefined;
    };
    this.query = faulty as typeof this.query;
  }
}

const LIBRARIES = {
  async TypeORM(url: string, deadline: number) {
    const source = await openTypeOrm('postgres', url, { extra: { Client: FaultyClient } });
    return { store: new TypeOrmStore(source, { users, deadline }), close: () => source.destroy() };
  },
  async Drizzle(url: string, deadline: number) {
    const pool = new Pool({ connectionString: url, Client: FaultyClient });
    return { store: new DrizzleStore(drizzle(pool), { users, deadline }), close: () => pool.end() };
  },
};

const libraries = canRunPostgres('serialization failures of PostgreSQL') ? Object.entries(LIBRARIES) : [];

it('lists drills for each library', () => {
  expect(Object.keys(LIBRARIES)).toEqual(['TypeORM', 'Drizzle']);
});

(libraries.length > 0 ? describe : describe.skip)('statements that conflict with others on PostgreSQL', () => {
  let servers: DrillServers;
  let server: PostgresServer;
  const urlOf = (user: string) => server.url.replace('postgres@', `${user}@`);

  beforeAll(async () => {
    servers = new DrillServers('serialization', 'postgres');
    server = await PostgresServer.create(servers, 'server');
    await server.query('CREATE ROLE app SUPERUSER LOGIN');
    await server.query(`ALTER ROLE app SET default_transaction_isolation = 'serializable'`);
    const source = await openTypeOrm('postgres', server.url);
    await source.runMigrations();
    await source.destroy();
  }, 60_000);
  afterAll(() => servers?.stop(), 60_000);

  describe.each(libraries)('with %s', (name, open) => {
    it('are sent again if a third of them fail, and nothing is lost or used twice', async () => {
      const { store, close } = await open(urlOf('postgres'), 3);
      const load = new Load(store);
      try {
        await load.start();
        Object.assign(faults, { share: 1 / 3, count: 0 });
        await rest(DURATION);
        await load.everyWorkerWrites();
        faults.share = 0;
        await load.stop();
        const loss = await load.findLoss();
        report(`40001 and 40P01 injected with ${name}`, load, {
          'failed statements': faults.count,
          ...lossFigures(load.acknowledged().accessTokens.length, loss),
        });
        expect(load.unexpected).toEqual([]);
        expect(faults.count).toBeGreaterThan(0);
        expect(load.usedTwice()).toEqual([]);
        expect(loss).toEqual({ accessTokens: [], reusable: [] });
      } finally {
        faults.share = 0;
        await load.stop();
        await close();
      }
    }, 90_000);

    it('end in 503 if all of them fail until the deadline, and work again afterwards', async () => {
      const { store, close } = await open(urlOf('postgres'), 0.5);
      const load = new Load(store);
      try {
        await load.start();
        await load.everyWorkerWrites();
        faults.share = 1;
        await rest(DURATION);
        const unavailable = load.statuses.get(503) ?? 0;
        faults.share = 0;
        const since = performance.now();
        await load.everyWorkerWrites(since);
        await load.stop();
        const loss = await load.findLoss();
        report(`40001 and 40P01 for every statement with ${name}`, load, {
          ...recoveryFigures(load, since),
          ...lossFigures(load.acknowledged().accessTokens.length, loss),
        });
        expect(load.unexpected).toEqual([]);
        expect(unavailable).toBeGreaterThan(0);
        expect(load.usedTwice()).toEqual([]);
        expect(loss).toEqual({ accessTokens: [], reusable: [] });
      } finally {
        faults.share = 0;
        await load.stop();
        await close();
      }
    }, 90_000);

    it('are sent again if the role has the isolation level serializable, and nothing is lost or used twice', async () => {
      const { store, close } = await open(urlOf('app'), 3);
      const load = new Load(store);
      const rollbacks = async () => {
        const text = 'SELECT xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()';
        return Number((await server.query(text))[0]!['count']);
      };
      try {
        const before = await rollbacks();
        await load.start({ sessions: 6, services: 4, attackers: 8 });
        await rest(DURATION);
        await load.everyWorkerWrites();
        await load.stop();
        const loss = await load.findLoss();
        report(`isolation level serializable with ${name}`, load, {
          'rolled back transactions': (await rollbacks()) - before,
          ...lossFigures(load.acknowledged().accessTokens.length, loss),
        });
        expect(load.unexpected).toEqual([]);
        expect(load.usedTwice()).toEqual([]);
        expect(loss).toEqual({ accessTokens: [], reusable: [] });
      } finally {
        await load.stop();
        await close();
      }
    }, 90_000);
  });
});
