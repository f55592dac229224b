import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import { RedisStore } from 'nest-oauth2/stores/redis';
import { describeStorageContract, type StorageSubject } from 'nest-oauth2/testing';

import { MapStorage } from '../stores/map-storage.js';
import { type Connected, DRIVERS, findRedis, Keys } from '../stores/redis-server.js';
import { findDatabasesOfLibraries, open, type Opened, ownPrefix, users } from '../stores/typeorm-databases.js';
import { storageOf } from './storages.js';

/** A database whose storage is checked. */
interface Checked {
  name: string;
  skew?: number;
  /** Number of concurrent calls of a race. */
  parallel?: number;
  open(): Promise<{ subject: StorageSubject; close(): Promise<unknown> }>;
}

/** Clocks of databases do not follow the clock of the process. */
const skew = 3_600_000;

const inMemory = (storage: StorageSubject['storage']) => ({
  open: () => Promise.resolve({ subject: { storage }, close: () => Promise.resolve() }),
});

const databases = (await findDatabasesOfLibraries()).map((database, index): Checked => ({
  name: database.name,
  skew,
  // All libraries send the same statements. With TypeORM, as many calls race as by default.
  parallel: database.library ? 16 : 50,
  async open() {
    // Each library has tables of its own, because `prune()` of one would delete the records of another.
    const opened: Opened = await open(database, ownPrefix(`rules${index}`));
    const [another, unreachable] = [await opened.another(), await opened.another()];
    const subject: StorageSubject = { storage: storageOf(opened.store), others: [storageOf(another.store)] };
    const closed = unreachable.dataSource;
    // The driver of SQLite ends the process if it is used after it was closed.
    if (!database.library && !database.name.startsWith('SQLite')) {
      await closed.destroy();
      subject.unreachable = storageOf(unreachable.store);
    }
    const close = async () => {
      if (!closed.isInitialized) await closed.initialize();
      await opened.close();
    };
    return { subject, close };
  },
}));

const servers = await findRedis();
const drivers = (servers.length > 0 ? DRIVERS : []).map(([name, connect]): Checked => ({
  name: `Redis with ${name}`,
  skew,
  async open() {
    const keys = new Keys(servers);
    const connected: Connected[] = [await connect(servers), await connect(servers)];
    const closed = await connect(servers);
    await closed.close();
    const [storage, other, unreachable] = [...connected, closed].map(({ client }) =>
      storageOf(new RedisStore({ client, users, prefix: keys.prefix, deadline: client === closed.client ? 2 : 50 })),
    );
    const close = async () => {
      await keys.remove();
      await Promise.all(connected.map((each) => each.close()));
    };
    return { subject: { storage: storage!, others: [other!], unreachable: unreachable! }, close };
  },
}));

/** Checks that shift the clock of the process, which all databases share. */
const SHIFTS_CLOCK = /uses the clock of the database$/;

/** One check of one database. */
interface Check {
  name: string;
  run(): unknown;
  /** Set if the check was started together with those of other databases. */
  result?: Promise<unknown>;
}

/** Returns the checks of a database, without registering them as tests. */
function checksOf({ name, ...options }: Checked, subject: () => StorageSubject): Check[] {
  const checks: Check[] = [];
  const collect = (check: string, run: () => unknown) => checks.push({ name: check, run });
  const runner = { describe: (_: string, define: () => void) => define(), it: collect };
  describeStorageContract(name, subject, { ...options, runner, onReport: () => undefined });
  return checks;
}

const CHECKED: Checked[] = [
  { name: 'the smallest storage', ...inMemory(new MapStorage()) },
  { name: 'the storage in memory', ...inMemory(storageOf(new MemoryStore({ users }))) },
  ...databases,
  ...drivers,
];

/** Each database runs one check after another. The databases run side by side, because most checks only wait. */
describe('the storage contract', () => {
  const opened = new Map<Checked, Awaited<ReturnType<Checked['open']>>>();
  const all = CHECKED.map((checked) => ({ checked, checks: checksOf(checked, () => opened.get(checked)!.subject) }));
  let started: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    for (const { checked } of all) {
      const database = await checked.open();
      opened.set(checked, database);
      // Prisma imports a module with its first statement. Jest allows imports only while a hook or a test runs.
      const { storage, others = [] } = database.subject;
      await Promise.all([storage, ...others].map(async (each) => each.readClock()));
    }
    started = Promise.all(
      all.map(async ({ checks }) => {
        let last: Promise<unknown> = Promise.resolve();
        for (const check of checks.filter(({ name }) => !SHIFTS_CLOCK.test(name))) {
          last = last.then(() => check.run());
          check.result = last;
          last = last.catch(() => undefined);
        }
        await last;
      }),
    );
  }, 60_000);
  afterAll(async () => {
    for (const { close } of opened.values()) await close();
  }, 60_000);

  const named = all.map(({ checked, checks }) => [checked.name, checks] as const);
  const titled = (checks: Check[], isShifted: boolean) =>
    checks.filter(({ name }) => SHIFTS_CLOCK.test(name) === isShifted).map((check) => [check.name, check] as const);

  describe.each(named)('on %s', (_, checks) => {
    it.each(titled(checks, false))(
      '%s',
      async (__, check) => {
        expect(check.result).toBeDefined();
        await check.result;
      },
      120_000,
    );
  });

  describe.each(named)('with other clocks on %s', (_, checks) => {
    it.each(titled(checks, true))('%s', async (__, { run }) => {
      await started;
      expect(await run()).toBeUndefined();
    });
  });
});
