import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setImmediate as nextTurn, setTimeout as rest } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TemporarilyUnavailableError } from 'nest-oauth2/server';
import type { DataSource } from 'typeorm';

import { ALICE, later, WEB } from '../support/models/model.js';
import { open, type Opened, ownPrefix, SQLITE_IN_FILE } from './typeorm-databases.js';

const require = createRequire(import.meta.url);
const PREFIX = ownPrefix('locks');
const clients = { findById: () => WEB };
const DEADLINE = 0.8;

interface Connection {
  exec(text: string): unknown;
  prepare(text: string): { all(): object[] };
}

/**
 * Records the turn of the event loop in which the store starts each piece of work that SQLite must not block. Work in
 * one turn keeps the process from everything else.
 */
async function recordTurns(dataSource: DataSource): Promise<number[]> {
  const connection = (await dataSource.createQueryRunner().connect()) as Connection;
  const { exec } = connection;
  const started: number[] = [];
  let turn = 0;
  jest.spyOn(connection, 'exec').mockImplementation((text) => {
    const done = exec.call(connection, text);
    const [timeout] = Object.values(connection.prepare('PRAGMA busy_timeout').all()[0]!);
    if (timeout === 0 && text.startsWith('PRAGMA')) {
      started.push(turn);
      setImmediate(() => (turn += 1));
    }
    return done;
  });
  return started;
}

/** Keeps the process busy after work has begun, so that the first pause has passed before it reads other events. */
async function beBusy(): Promise<void> {
  for (let step = 0; step < 100; step += 1) await Promise.resolve();
  const end = performance.now() + 10;
  while (performance.now() < end);
}

const differing = (turns: readonly number[]) => new Set(turns).size;

afterEach(() => void jest.restoreAllMocks());

describe.each([
  { journal: 'a write-ahead log', enableWAL: true },
  { journal: 'a rollback journal', enableWAL: false },
])('a TypeORM store on a SQLite file with $journal that another connection has locked', ({ enableWAL }) => {
  let opened: Opened;
  let other: DataSource;
  beforeAll(async () => {
    const options = () => ({ ...SQLITE_IN_FILE.options(), enableWAL }) as ReturnType<typeof SQLITE_IN_FILE.options>;
    opened = await open({ ...SQLITE_IN_FILE, options }, PREFIX, { store: { clients, deadline: DEADLINE } });
    other = (await opened.another()).dataSource;
    await save('before');
  });
  afterAll(() => opened.close());

  const save = (accessToken: string) =>
    opened.store.saveToken({ accessToken, accessTokenExpiresAt: later() }, { ...WEB }, ALICE);
  const lock = async () => {
    await other.query('BEGIN EXCLUSIVE');
    await other.query(`INSERT INTO ${PREFIX}clients VALUES ('${Math.random()}', '[]', '{}', 0, 0)`);
  };
  const seenByOther = async (table: string) =>
    Number((await other.query<{ n: number }[]>(`SELECT COUNT(*) AS n FROM ${PREFIX}${table}`))[0]!.n);

  it('waits for the lock without blocking the process', async () => {
    const turns = await recordTurns(opened.dataSource);
    await lock();
    const settled = new AbortController();
    const before = Promise.all([save('during'), opened.store.getAccessToken('before')]);
    void before.catch(() => undefined).finally(() => settled.abort());
    // The process that waits is the one that ends the lock.
    while (!settled.signal.aborted && differing(turns) < 4) await nextTurn();
    await other.query('COMMIT');
    expect((await before)[1]).toBeDefined();
    expect(differing(turns)).toBeGreaterThanOrEqual(4);
    expect(await opened.store.getAccessToken('during')).toBeDefined();
  });

  it('gives up at the deadline, and still saves later writes', async () => {
    const tokens = await seenByOther('tokens');
    // With a write-ahead log, reading does not have to wait.
    const search = () => opened.store.getAccessToken('before');
    const blocked = [() => save('too late'), ...(enableWAL ? [] : [search])];
    await lock();
    const turns = await recordTurns(opened.dataSource);
    for (const attempt of blocked) {
      turns.length = 0;
      const failing = attempt();
      await beBusy();
      await expect(failing).rejects.toThrow(TemporarilyUnavailableError);
      await expect(failing).rejects.toThrow(/database is locked/);
      expect(turns.length).toBeGreaterThan(1);
      expect(differing(turns)).toBe(turns.length);
    }
    await other.query('COMMIT');
    await save('afterwards');
    expect(await opened.store.getAccessToken('afterwards')).toBeDefined();
    expect(await opened.store.getAccessToken('too late')).toBeUndefined();
    expect(await seenByOther('tokens')).toBe(tokens + 1);
    // A lookup that was given up does not keep a lock either.
    await lock();
    await other.query('COMMIT');
  });

  it('does not change the timeout of the application’s own statements', async () => {
    await save('once more');
    expect(await opened.dataSource.query('PRAGMA busy_timeout')).toMatchObject([{ timeout: 5000 }]);
  });

  it('writes durably with `synchronous = FULL`', async () => {
    expect(await opened.dataSource.query('PRAGMA synchronous')).toMatchObject([{ synchronous: 2 }]);
  });
});

/** The code of a thread that locks a file for 20 of 21 milliseconds. */
const BUSY = `
  const { workerData, parentPort } = require('node:worker_threads');
  const database = new (require(workerData.libsql))(workerData.file);
  const wait = (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  for (let count = 0; ; count++) {
    try {
      database.exec('BEGIN IMMEDIATE');
      wait(20);
      database.exec('COMMIT');
    } catch {}
    if (count === 0) parentPort.postMessage('locked');
    wait(1);
  }
`;

describe('a TypeORM store on SQLite', () => {
  it('saves every token while another process writes almost without a pause', async () => {
    const { store, dataSource, close } = await open(SQLITE_IN_FILE, PREFIX, { store: { clients, deadline: 1.5 } });
    const file = dataSource.options.database as string;
    // SQLite locks the file against each connection, so a thread has the same effect as a process.
    const busy = new Worker(BUSY, { eval: true, workerData: { libsql: require.resolve('libsql'), file } });
    await once(busy, 'message');
    const tokens = Array.from({ length: 30 }, (_, index) => `token ${index}`);
    for (const accessToken of tokens) {
      await store.saveToken({ accessToken, accessTokenExpiresAt: later() }, { ...WEB }, ALICE);
      await rest(10);
    }
    await busy.terminate();
    const found = await Promise.all(tokens.map((token) => store.getAccessToken(token)));
    expect(found.map((token) => token?.accessToken)).toEqual(tokens);
    await close();
  }, 120_000);

  it('prunes 50,000 rows without blocking the process', async () => {
    const { store, dataSource, close } = await open(SQLITE_IN_FILE, PREFIX, { store: { clients } });
    const rows = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)';
    await dataSource.query(`INSERT INTO ${PREFIX}tokens (digest, grant_id, client_id, expires_at, kind)
      ${rows} SELECT 'd' || i, 'g', 'c', i, 'access' FROM n`);
    const turns = await recordTurns(dataSource);
    expect(await store.prune({ batchSize: 10_000 })).toBe(50_000);
    expect(differing(turns)).toBeGreaterThanOrEqual(5);
    await close();
  }, 60_000);
});
