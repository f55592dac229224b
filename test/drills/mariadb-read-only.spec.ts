import { setTimeout as rest } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { drizzle } from 'drizzle-orm/mysql2';
import mysql from 'mysql2/promise';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { resourceRequest, runOperation } from '../support/clients/requests.js';
import { Load, users } from './load.js';
import { openTypeOrm } from './open-typeorm.js';
import { canRunMariaDb, MariaDbServer } from './mariadb-server.js';
import { DrillServers } from './processes.js';
import { lossFigures, recoveryFigures, report } from './report.js';

const LIBRARIES = {
  async TypeORM(url: string) {
    const source = await openTypeOrm('mariadb', url, { connectTimeout: 2000 });
    return { store: new TypeOrmStore(source, { users }), close: () => source.destroy() };
  },
  async Drizzle(url: string) {
    const pool = mysql.createPool({ uri: url, connectTimeout: 2000 });
    return { store: new DrizzleStore(drizzle(pool), { users }), close: () => pool.end() };
  },
};

const libraries = canRunMariaDb('MariaDB switched to read-only') ? Object.entries(LIBRARIES) : [];

it('lists drills for each library', () => {
  expect(Object.keys(LIBRARIES)).toEqual(['TypeORM', 'Drizzle']);
});

(libraries.length > 0 ? describe : describe.skip)('a MariaDB server that becomes read-only', () => {
  let servers: DrillServers;
  let server: MariaDbServer;

  beforeAll(async () => {
    servers = new DrillServers('mariadb', 'mysql');
    server = await MariaDbServer.create(servers);
    const source = await openTypeOrm('mariadb', server.url, { connectTimeout: 2000 });
    await source.runMigrations();
    await source.destroy();
  }, 60_000);
  afterAll(() => servers?.stop(), 60_000);

  it.each(libraries)(
    'rejects writes with 503, continues to read, and writes again afterwards, with %s',
    async (name, open) => {
      const application = await open(server.url);
      const load = new Load(application.store);
      try {
        await load.start();
        await load.everyWorkerWrites();
        await server.query('SET GLOBAL read_only = 1');
        const readOnlyAt = performance.now();
        // Every token that was acknowledged stays valid for a reader.
        const { accessTokens } = load.acknowledged();
        const statuses = new Set<number>();
        for (let count = 0; count < 200; count++) {
          const token = accessTokens[count % accessTokens.length]!;
          const { status } = await runOperation(load.server, 'authenticate', resourceRequest(`Bearer ${token}`));
          statuses.add(status);
          await rest(5);
        }
        const { firstWrite } = load.recovery(readOnlyAt + 100);
        await server.query('SET GLOBAL read_only = 0');
        const writableAt = performance.now();
        await load.everyWorkerWrites(writableAt);
        await load.stop();

        const loss = await load.findLoss();
        report(`MariaDB read_only with ${name}`, load, {
          ...recoveryFigures(load, writableAt),
          ...lossFigures(load.acknowledged().accessTokens.length, loss),
        });
        expect(load.unexpected).toEqual([]);
        expect(statuses).toEqual(new Set([200]));
        expect(firstWrite).toBe(Infinity);
        expect(load.statuses.get(503)).toBeGreaterThan(0);
        expect(loss).toEqual({ accessTokens: [], reusable: [] });
        expect(load.usedTwice()).toEqual([]);
      } finally {
        await load.stop();
        await application.close();
      }
    },
    90_000,
  );
});
