import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { waitUntil } from '../support/environment/wait-until.js';
import { describeEach } from '../support/environment/requirements.js';
import { openIntercepted } from './intercepted-drizzle.js';
import { StatementLog } from './statement-log.js';
import { findServers, open, type Opened, ownPrefix, WEB } from './typeorm-databases.js';

const LOOKUP = /^SELECT (?:t\.|f\.|id, secret_hashes)/;
const digestOf = (token: string) => hash('sha256', token, 'base64url');
const later = () => new Date(Date.now() + 1e6);

async function saveTokens(store: TypeOrmStore, amount: number): Promise<string[]> {
  const names = Array.from({ length: amount }, (_, index) => `token ${index}`);
  for (const accessToken of names) {
    await store.saveToken({ accessToken, accessTokenExpiresAt: later(), scope: ['read'] }, WEB, { id: accessToken });
  }
  return names;
}

const databases = await findServers();

describeEach(databases)('concurrent look-ups on $name', (database) => {
  const log = new StatementLog('all');
  const prefix = ownPrefix('batched');
  let opened: Opened;
  let store: TypeOrmStore;
  let tokens: string[];

  beforeAll(async () => {
    opened = await open(database, prefix, { logger: log, logging: true });
    ({ store } = opened);
    await store.saveClient(WEB);
    tokens = await saveTokens(store, 100);
  });
  beforeEach(() => void log.statements.splice(0));
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => opened.close());

  /** Stops the clock, so that the store never concludes from a slow response that a connection is broken. */
  const stopClock = () => jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const lookUps = () => log.statements.filter((statement) => LOOKUP.test(statement));

  it('share statements of at most 64 tokens, and each caller gets its own token', async () => {
    stopClock();
    const found = await Promise.all(tokens.map((token) => store.getAccessToken(token)));
    expect(found.map((token) => token?.user['id'])).toEqual(tokens);
    // One leaves at once. The other 99 wait and leave as 64 and 35.
    expect(lookUps()).toHaveLength(3);
  });

  it('return nothing for unknown tokens, and equal results of their own for the same token', async () => {
    const mixed = tokens.flatMap((token) => [token, `${token} unknown`, token]);
    const found = await Promise.all(mixed.map((token) => store.getAccessToken(token)));
    for (const [index, token] of tokens.entries()) {
      const [first, unknown, second] = found.slice(index * 3, index * 3 + 3);
      expect(unknown).toBeUndefined();
      expect(first?.user).toEqual({ id: token });
      expect(second).toEqual(first);
      expect(second).not.toBe(first);
      expect(second?.client).not.toBe(first?.client);
    }
  });

  if (database.name === 'PostgreSQL')
    it('find each token by an index on PostgreSQL, even before the tables have statistics', async () => {
      stopClock();
      await Promise.all(tokens.slice(0, 17).map((token) => store.getAccessToken(token)));
      const shared = lookUps().map((statement) => statement.replace(/ -- PARAMETERS.*/s, ''));
      const statement = shared.find((one) => one.includes('LATERAL'))!;
      const digests = tokens.slice(0, 16).map((token) => `'${digestOf(token)}'`);
      const runner = opened.dataSource.createQueryRunner();
      await runner.query('SET plan_cache_mode = force_generic_plan');
      await runner.query(`PREPARE shared AS ${statement}`);
      const plan = (await runner.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE shared (${digests.join()})`)) as unknown;
      await runner.query('DEALLOCATE shared');
      await runner.query('RESET plan_cache_mode');
      await runner.release();
      const text = JSON.stringify(plan);
      // The outer loop has one row for each digest, and everything inside it has at most one.
      const rows = Array.from(text.matchAll(/"Actual Rows":([\d.]+)/g), ([, count]) => Number(count));
      expect(rows.filter((count) => count > 1 && count !== 16)).toEqual([]);
      expect(text).not.toMatch(/Rows Removed by Join Filter":[1-9]/);
    });

  it('share statements for clients too', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `client ${index}`);
    for (const id of ids) await store.saveClient({ ...WEB, id });
    log.statements.splice(0);
    stopClock();
    const clients = await Promise.all([...ids, 'unknown', 'CLIENT 1'].map((id) => store.getClient(id, null)));
    expect(clients.map((client) => client?.id)).toEqual([...ids, undefined, undefined]);
    expect(lookUps()).toHaveLength(2);
  });

  it('prepare few different statements, whatever the number of look-ups', async () => {
    for (let amount = 3; amount <= 70; amount += 3) {
      await Promise.all(tokens.slice(0, amount).map((token) => store.getAccessToken(token)));
    }
    const texts = new Set(lookUps().map((statement) => statement.replace(/ -- PARAMETERS.*/, '')));
    expect(texts.size).toBeLessThanOrEqual(7);
  });

  it('never join a statement that was sent before the look-up began', async () => {
    for (let round = 0; round < 10; round++) {
      const accessToken = `revoked ${round}`;
      const token = { accessToken, accessTokenExpiresAt: later(), grantId: accessToken };
      const saved = await store.saveToken(token, WEB, { id: 'alice' });
      // These are in flight or waiting while the token is revoked.
      const earlier = [...tokens, accessToken].map((one) => store.getAccessToken(one));
      await store.revokeAccessToken(saved);
      const found = await Promise.all([...tokens, accessToken].map((one) => store.getAccessToken(one)));
      expect(found.at(-1)).toBeUndefined();
      expect(found.filter(Boolean)).toHaveLength(tokens.length);
      await Promise.all(earlier);
    }
  });

  it('keep the async context of each caller', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen = await Promise.all(
      tokens.map((token) =>
        context.run(token, async () => {
          await store.getAccessToken(token);
          return context.getStore();
        }),
      ),
    );
    expect(seen).toEqual(tokens);
  });

  it('succeed alone if their shared statements fail, and an error of one key rejects only that key', async () => {
    const sent: string[] = [];
    stopClock();
    const { store: drizzle, close } = await openIntercepted(database, { prefix }, async (send, text) => {
      sent.push(text);
      const isRejected =
        text.includes('digest IN (') || text.includes('LATERAL') || text.includes(digestOf(tokens[7]!));
      if (isRejected) throw new Error('this statement fails');
      return send();
    });
    const found = await Promise.allSettled(tokens.slice(0, 20).map((token) => drizzle.getAccessToken(token)));
    expect(found.flatMap(({ status }, index) => (status === 'rejected' ? index : []))).toEqual([7]);
    expect(found[7]).toMatchObject({ reason: { message: 'this statement fails' } });
    // One single look-up. The other 19 share a statement, whose halves are sent until each look-up is alone.
    expect(sent).toHaveLength(1 + 19 + 18);
    await close();
  });

  it('do not wait for statements that get no response', async () => {
    let sent = 0;
    const { store: drizzle, close } = await openIntercepted(database, { prefix, deadline: 5 }, async (send) => {
      sent += 1;
      return sent <= 2 ? new Promise(() => undefined) : send();
    });
    // The first look-up leaves alone, and the others leave together beside it when the clock runs again.
    stopClock();
    const stuck = tokens.slice(0, 20).map((token) => drizzle.getAccessToken(token));
    jest.restoreAllMocks();
    await waitUntil(() => sent === 2);
    expect((await drizzle.getAccessToken(tokens[20]!))?.user).toEqual({ id: tokens[20] });
    for (const { status, reason } of (await Promise.allSettled(stuck)) as PromiseRejectedResult[])
      expect([status, reason]).toEqual(['rejected', expect.objectContaining({ status: 503 })]);
    await close();
  });

  it('each use their own statement with `batching: false`', async () => {
    const statements = new StatementLog('all');
    const single = await open(database, ownPrefix('single'), {
      logger: statements,
      logging: true,
      store: { batching: false },
    });
    await single.store.saveClient(WEB);
    const names = await saveTokens(single.store, 10);
    statements.statements.splice(0);
    const found = await Promise.all(names.map((token) => single.store.getAccessToken(token)));
    expect(found.map((token) => token?.user['id'])).toEqual(names);
    expect(statements.statements.filter((statement) => LOOKUP.test(statement))).toHaveLength(10);
    await single.close();
  });
});
