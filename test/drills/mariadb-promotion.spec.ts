import { setTimeout as rest } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { drizzle } from 'drizzle-orm/mysql2';
import mysql from 'mysql2/promise';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { SilentNetwork } from '../stores/silent-network.js';
import { Load, users } from './load.js';
import { canRunMariaDb, MariaDbServer } from './mariadb-server.js';
import { missingWrites, RECEIVED, unusedIn, withoutDigests } from './missing-writes.js';
import { openTypeOrm } from './open-typeorm.js';
import { PrimaryProxy } from './primary-proxy.js';
import { DrillServers } from './processes.js';
import { lossFigures, recoveryFigures, report, seconds } from './report.js';

/** Milliseconds of load before and after the failover. */
const WARM_UP = 1500;
/** Maximum number of seconds from the promotion to the first write. A slow machine has a longer limit. */
const LIMIT = 5;
/** The limit on a slow machine, as a multiple of the time until each client has written for the first time. */
const SLOWNESS = 5;

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

interface Drill {
  library: keyof typeof LIBRARIES;
  replication: 'semisynchronous' | 'asynchronous';
  /** How the primary fails. A frozen primary keeps its connections but does not respond, like a lost machine. */
  failure: 'killed' | 'frozen';
  /** Whether the proxy closes the connections to a failed primary. */
  closesConnections: boolean;
}

const DRILLS: readonly Drill[] = [
  { library: 'TypeORM', replication: 'semisynchronous', failure: 'killed', closesConnections: true },
  { library: 'Drizzle', replication: 'semisynchronous', failure: 'killed', closesConnections: true },
  { library: 'TypeORM', replication: 'asynchronous', failure: 'killed', closesConnections: true },
  { library: 'Drizzle', replication: 'asynchronous', failure: 'killed', closesConnections: true },
  { library: 'TypeORM', replication: 'semisynchronous', failure: 'frozen', closesConnections: false },
  // The driver has no limit for a response, so that only the proxy ends a silent connection.
  { library: 'Drizzle', replication: 'semisynchronous', failure: 'frozen', closesConnections: true },
];

const drills = canRunMariaDb('promotion of a MariaDB replica') ? DRILLS : [];

it('lists drills for each library', () => {
  expect(new Set(DRILLS.map(({ library }) => library))).toEqual(new Set(Object.keys(LIBRARIES)));
});

describe.each(drills)(
  'a MariaDB primary that is $failure, with $replication replication and $library',
  ({ library, replication, failure, closesConnections }) => {
    const isSemisynchronous = replication === 'semisynchronous';
    let servers: DrillServers;
    let primary: MariaDbServer;
    let replica: MariaDbServer;
    let network: SilentNetwork;
    let proxy: PrimaryProxy;
    let application: Awaited<ReturnType<(typeof LIBRARIES)[typeof library]>>;
    let load: Load;

    beforeAll(async () => {
      servers = new DrillServers('mariadb', 'mysql');
      ({ primary, replica } = await MariaDbServer.createPair(servers, isSemisynchronous, async ({ url }) => {
        network = await SilentNetwork.to(url, 3306);
        return Number(new URL(network.urlOf(url)).port);
      }));
      const source = await openTypeOrm('mariadb', primary.url, { connectTimeout: 2000 });
      await source.runMigrations();
      await source.destroy();
      const isPrimary = (port: number) => [primary, replica].find((each) => each.port === port)!.isPrimary();
      proxy = await PrimaryProxy.start([primary.port, replica.port], { isPrimary, closesConnections });
      application = await LIBRARIES[library](primary.urlAt(proxy.port));
      load = new Load(application.store);
    }, 120_000);
    afterAll(async () => {
      await load?.stop();
      await proxy?.close();
      await application?.close().catch(() => undefined);
      await servers?.stop();
      await network?.close();
    }, 60_000);

    it('writes again after the replica is promoted, and loses only what the replica had not received', async () => {
      const startedAt = performance.now();
      await load.start();
      await load.everyWorkerWrites(startedAt);
      const reference = (performance.now() - startedAt) / 1000;
      await rest(WARM_UP);
      expect(await primary.waitsForReplica()).toBe(isSemisynchronous);
      if (!isSemisynchronous) {
        network.fallSilent();
        await rest(300);
      }
      if (failure === 'killed') await primary.kill();
      else primary.freeze();
      const failedAt = performance.now();
      network.cut();
      await replica.finishReplay();
      const before = load.acknowledged();
      const rows = await replica.query(RECEIVED.replace('oauth_tokens', 'app.oauth_tokens'));
      const missing = missingWrites(rows, before);
      const reusable = isSemisynchronous ? new Set() : unusedIn(rows);
      await replica.promote();
      const promotedAt = performance.now();
      await load.everyWorkerWrites(promotedAt);
      await rest(WARM_UP);
      await load.stop();

      const loss = await load.findLoss();
      report(`MariaDB primary ${failure}, ${replication} replication, ${library}`, load, {
        'from failure to promotion': seconds((promotedAt - failedAt) / 1000),
        ...recoveryFigures(load, promotedAt),
        ...lossFigures(before.accessTokens.length, loss),
      });
      expect(load.recovery(promotedAt).firstWrite).toBeLessThan(Math.max(LIMIT, SLOWNESS * reference));
      expect(load.unexpected).toEqual([]);
      expect(withoutDigests(load.usedTwice(), reusable)).toEqual([]);
      expect(new Set(loss.accessTokens)).toEqual(new Set(missing.accessTokens));
      expect(new Set(loss.reusable)).toEqual(new Set(missing.consumed));
      // With asynchronous replication, the network of the replica was silent, so that the drill loses something.
      expect(loss.accessTokens.length > 0).toBe(!isSemisynchronous);
      expect(loss.reusable.length > 0 && isSemisynchronous).toBe(false);
      const used = load.acknowledged().consumed.filter((one) => !loss.reusable.includes(one));
      expect(await load.replay(used.slice(-50))).toBe(0);
    }, 120_000);
  },
);
