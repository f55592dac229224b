import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { drizzle } from 'drizzle-orm/node-postgres';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import { PrismaStore } from 'nest-oauth2/stores/prisma';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { describeStorageContract } from 'nest-oauth2/testing';
import { Client, Pool } from 'pg';

import { storageOf } from '../kit/storages.js';
import { openPrisma } from '../stores/prisma-client.js';
import { freePort } from '../support/environment/free-port.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { Load, users } from './load.js';
import { openTypeOrm } from './open-typeorm.js';
import { canRunPostgres, PostgresServer } from './postgres-server.js';
import { PrimaryProxy } from './primary-proxy.js';
import { DrillServers, hasPrograms } from './processes.js';
import { lossFigures, recoveryFigures, report, seconds } from './report.js';

const WARM_UP = 1000;
/** Fewer connections than concurrent requests, so that PgBouncer gives each statement another one. */
const POOL_SIZE = 4;

const LIBRARIES = {
  async TypeORM(url: string) {
    const source = await openTypeOrm('postgres', url, { connectTimeoutMS: 2000 });
    const store = new TypeOrmStore(source, { users, preparedStatements: false });
    return { store, close: () => source.destroy() };
  },
  async Drizzle(url: string) {
    const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 2000 });
    return { store: new DrizzleStore(drizzle(pool), { users }), close: () => pool.end() };
  },
  async Prisma(url: string) {
    const { db, close } = await openPrisma({ type: 'postgres', url });
    return { store: new PrismaStore(db, { users }), close };
  },
};
type Library = keyof typeof LIBRARIES;

const canRun =
  canRunPostgres('PgBouncer in transaction mode') &&
  hasPrograms('PgBouncer in transaction mode', ['pgbouncer'], 'pgbouncer');

it('lists drills for each library', () => {
  expect(Object.keys(LIBRARIES)).toEqual(['TypeORM', 'Drizzle', 'Prisma']);
});

(canRun ? describe : describe.skip)('behind PgBouncer in transaction mode', () => {
  let servers: DrillServers;
  let primary: PostgresServer;
  let standby: PostgresServer;
  let proxy: PrimaryProxy;
  let pooler: string;
  const opened = new Map<string, Awaited<ReturnType<(typeof LIBRARIES)[Library]>>>();

  beforeAll(async () => {
    servers = new DrillServers('pgbouncer', 'postgres');
    primary = await PostgresServer.create(servers, 'primary');
    standby = await primary.createStandby('standby');
    await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await primary.query('SELECT pg_reload_conf()');
    const source = await openTypeOrm('postgres', primary.url, { connectTimeoutMS: 2000 });
    await source.runMigrations();
    await source.destroy();
    const isPrimary = (port: number) => [primary, standby].find((each) => each.port === port)!.isPrimary();
    proxy = await PrimaryProxy.start([primary.port, standby.port], { isPrimary });
    pooler = await startPooler(proxy.port);
    for (const [name, open] of Object.entries(LIBRARIES)) {
      opened.set(name, await open(pooler));
      // Another process of the application.
      opened.set(`${name} again`, await open(pooler));
    }
  }, 90_000);
  afterAll(async () => {
    for (const { close } of opened.values()) await close().catch(() => undefined);
    await proxy?.close();
    await servers?.stop();
  }, 60_000);

  async function startPooler(target: number): Promise<string> {
    const [port, folder] = [await freePort(), servers.folder];
    writeFileSync(join(folder, 'users.txt'), '"postgres" ""\n');
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'trust',
      auth_file: join(folder, 'users.txt'),
      admin_users: 'postgres',
      pool_mode: 'transaction',
      default_pool_size: POOL_SIZE,
      max_client_conn: 300,
      query_wait_timeout: 5,
      server_login_retry: 1,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${target}\n[pgbouncer]\n${lines.join('\n')}\n`);
    const child = servers.start('pgbouncer', [file]);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await waitUntil(async () => {
      child.verifyRunning();
      return poolMode(url).catch(() => undefined);
    }, 30);
    return url;
  }

  async function poolMode(url: string): Promise<string> {
    const client = new Client({ connectionString: url.replace(/postgres$/, 'pgbouncer') });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ key: string; value: string }>('SHOW CONFIG');
    await client.end();
    return rows.find(({ key }) => key === 'pool_mode')!.value;
  }

  it('the pooler is in transaction mode', async () => {
    expect(await poolMode(pooler)).toBe('transaction');
  });

  describe.each(Object.keys(LIBRARIES))('a store with %s', (name) => {
    const subject = () => ({
      storage: storageOf(opened.get(name)!.store),
      others: [storageOf(opened.get(`${name} again`)!.store)],
    });
    describeStorageContract(`${name} behind PgBouncer`, subject, { parallel: 20, runner: { describe, it } });
  });

  it('every library writes again after the primary is killed and the standby is promoted, and nothing is lost', async () => {
    const loads = Object.keys(LIBRARIES).map((name) => [name, new Load(opened.get(name)!.store)] as const);
    for (const [, load] of loads) await load.start({ sessions: 3, services: 2, attackers: 1 });
    await rest(WARM_UP);
    await primary.kill();
    const failedAt = performance.now();
    await standby.finishReplay();
    await standby.promote();
    const promotedAt = performance.now();
    await Promise.all(loads.map(([, load]) => load.everyWorkerWrites(promotedAt)));
    await rest(WARM_UP);
    await Promise.all(loads.map(([, load]) => load.stop()));
    for (const [name, load] of loads) {
      const loss = await load.findLoss();
      report(`PostgreSQL behind PgBouncer with ${name}`, load, {
        'from failure to promotion': seconds((promotedAt - failedAt) / 1000),
        ...recoveryFigures(load, promotedAt),
        ...lossFigures(load.acknowledged().accessTokens.length, loss),
      });
      expect({ name, unexpected: load.unexpected }).toEqual({ name, unexpected: [] });
      expect(load.usedTwice()).toEqual([]);
      expect(loss).toEqual({ accessTokens: [], reusable: [] });
    }
  }, 120_000);
});
