import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { drizzle } from 'drizzle-orm/node-postgres';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { Pool } from 'pg';
import { setTimeout as rest } from 'node:timers/promises';

import { SilentNetwork } from '../stores/silent-network.js';
import { Load, users } from './load.js';
import { missingWrites, RECEIVED, unusedIn, withoutDigests } from './missing-writes.js';
import { openTypeOrm } from './open-typeorm.js';
import { canRunPostgres, PostgresServer } from './postgres-server.js';
import { PrimaryProxy } from './primary-proxy.js';
import { DrillServers } from './processes.js';
import { lossFigures, recoveryFigures, report, seconds } from './report.js';

/** Milliseconds of load before and after the failover. */
const WARM_UP = 1500;

const LIBRARIES = {
  async TypeORM(url: string) {
    const source = await openTypeOrm('postgres', url, { connectTimeoutMS: 2000 });
    return { store: new TypeOrmStore(source, { users }), close: () => source.destroy() };
  },
  async Drizzle(url: string) {
    const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 2000, query_timeout: 2000 });
    return { store: new DrizzleStore(drizzle(pool), { users }), close: () => pool.end() };
  },
};

interface Drill {
  title: string;
  library: keyof typeof LIBRARIES;
  isSynchronous: boolean;
  /** How the primary fails. A frozen primary keeps its connections but does not respond, like a lost machine. */
  failure: 'kill' | 'freeze';
}

const DRILLS: readonly Drill[] = [
  {
    title: 'killed, with synchronous replication and TypeORM',
    library: 'TypeORM',
    isSynchronous: true,
    failure: 'kill',
  },
  {
    title: 'killed, with synchronous replication and Drizzle',
    library: 'Drizzle',
    isSynchronous: true,
    failure: 'kill',
  },
  {
    title: 'killed, with asynchronous replication and TypeORM',
    library: 'TypeORM',
    isSynchronous: false,
    failure: 'kill',
  },
  {
    title: 'frozen, with synchronous replication and TypeORM',
    library: 'TypeORM',
    isSynchronous: true,
    failure: 'freeze',
  },
  {
    title: 'frozen, with synchronous replication and Drizzle',
    library: 'Drizzle',
    isSynchronous: true,
    failure: 'freeze',
  },
];

const drills = canRunPostgres('PostgreSQL failover') ? DRILLS : [];

it('lists drills for each library', () => {
  expect(new Set(DRILLS.map(({ library }) => library))).toEqual(new Set(Object.keys(LIBRARIES)));
});

describe.each(drills)('a PostgreSQL primary that is $title', ({ title, library, isSynchronous, failure }) => {
  let servers: DrillServers;
  let primary: PostgresServer;
  let standby: PostgresServer;
  let replication: SilentNetwork;
  let proxy: PrimaryProxy;
  let application: Awaited<ReturnType<(typeof LIBRARIES)[typeof library]>>;
  let load: Load;

  beforeAll(async () => {
    servers = new DrillServers('postgres', 'postgres');
    primary = await PostgresServer.create(servers, 'primary');
    replication = await SilentNetwork.to(primary.url, 5432);
    standby = await primary.createStandby('standby', Number(new URL(replication.urlOf(primary.url)).port));
    if (isSynchronous) {
      await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await primary.query('SELECT pg_reload_conf()');
    }
    const source = await openTypeOrm('postgres', primary.url, { connectTimeoutMS: 2000 });
    await source.runMigrations();
    await source.destroy();
    const isPrimary = (port: number) => [primary, standby].find((each) => each.port === port)!.isPrimary();
    proxy = await PrimaryProxy.start([primary.port, standby.port], {
      isPrimary,
      closesConnections: failure === 'kill',
    });
    application = await LIBRARIES[library](`postgres://postgres@127.0.0.1:${proxy.port}/postgres`);
    load = new Load(application.store);
  }, 60_000);
  afterAll(async () => {
    await load?.stop();
    await proxy?.close();
    await application?.close().catch(() => undefined);
    await servers?.stop();
    await replication?.close();
  }, 60_000);

  it('writes again after the standby is promoted, and loses only what the standby had not received', async () => {
    await load.start();
    await rest(WARM_UP);
    if (!isSynchronous) {
      replication.fallSilent();
      await rest(300);
    }
    if (failure === 'kill') await primary.kill();
    else primary.freeze();
    const failedAt = performance.now();
    replication.cut();
    await standby.finishReplay();
    const before = load.acknowledged();
    const rows = await standby.query(RECEIVED);
    const missing = missingWrites(rows, before);
    const reusable = isSynchronous ? new Set() : unusedIn(rows);
    await standby.promote();
    const promotedAt = performance.now();
    await load.everyWorkerWrites(promotedAt);
    await rest(WARM_UP);
    await load.stop();

    const loss = await load.findLoss();
    report(`PostgreSQL ${title}`, load, {
      'from failure to promotion': seconds((promotedAt - failedAt) / 1000),
      ...recoveryFigures(load, promotedAt),
      ...lossFigures(before.accessTokens.length, loss),
    });
    expect(load.unexpected).toEqual([]);
    expect(withoutDigests(load.usedTwice(), reusable)).toEqual([]);
    expect(new Set(loss.accessTokens)).toEqual(new Set(missing.accessTokens));
    expect(new Set(loss.reusable)).toEqual(new Set(missing.consumed));
    // With asynchronous replication, the network of the standby was silent, so that the drill loses something.
    expect(loss.accessTokens.length > 0).toBe(!isSynchronous);
    expect(loss.reusable.length > 0 && isSynchronous).toBe(false);
    const used = load.acknowledged().consumed.filter((one) => !loss.reusable.includes(one));
    expect(await load.replay(used.slice(-50))).toBe(0);
  }, 120_000);
});
