import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TemporarilyUnavailableError } from 'nest-oauth2/server';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { ALICE, later, WEB } from '../support/models/model.js';
import { describeEach } from '../support/environment/requirements.js';
import { findServers, open, type Opened, ownPrefix, SQLITE_IN_MEMORY, users } from './typeorm-databases.js';

const PREFIX = ownPrefix('pool');
const POOL = 3;
const servers = await findServers();

/** Returns a function that waits until all participants have called it. */
function meeting(): () => Promise<void> {
  let missing = POOL;
  let start: () => void;
  const all = new Promise<void>((resolve) => (start = resolve));
  return () => {
    if (--missing === 0) start();
    return all;
  };
}

describeEach(servers)('a TypeORM store on $name in transactions that occupy all connections', (database) => {
  let opened: Opened;
  let store: TypeOrmStore;
  beforeAll(async () => {
    const options = () => ({ ...database.options(), poolSize: POOL }) as ReturnType<typeof database.options>;
    opened = await open({ ...database, options }, PREFIX);
    store = new TypeOrmStore(opened.dataSource, {
      users,
      clients: { findById: () => WEB },
      prefix: PREFIX,
      deadline: 2,
    });
  });
  afterAll(() => opened.close());

  const save = (accessToken: string) => store.saveToken({ accessToken, accessTokenExpiresAt: later() }, WEB, ALICE);

  it('rejects at the deadline with an error that names the cause, and recovers when they end', async () => {
    const { dataSource } = opened;
    const [begun, ended] = [meeting(), meeting()];
    const inside = async (n: number) => {
      await begun();
      // No transaction passes its connection to another.
      try {
        await save(`inside ${n}`);
      } finally {
        await ended();
      }
    };
    const failures = Array.from({ length: POOL }, (_, n) => dataSource.transaction(() => inside(n)));
    for (const failure of await Promise.allSettled(failures)) {
      expect(failure).toMatchObject({ status: 'rejected', reason: { status: 503, retryAfter: 2 } });
      const { reason } = failure as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(TemporarilyUnavailableError);
      expect((reason as Error).message).toMatch(/within 2 s: .*no connection (?:was|is) free.*`transaction\(\)`/);
    }
    await save('after');
    expect(await store.getAccessToken('after')).toBeDefined();
    // An operation that was given up had no effect.
    expect(await store.getAccessToken('inside 0')).toBeUndefined();
  });
});

describe('the deadline of a TypeORM store', () => {
  it('is three seconds by default', async () => {
    const { dataSource, close } = await open(SQLITE_IN_MEMORY, PREFIX);
    const store = new TypeOrmStore(dataSource, { users, prefix: PREFIX });
    const start = performance.now();
    await expect(dataSource.transaction(() => store.revokeGrant('g'))).rejects.toMatchObject({ retryAfter: 3 });
    expect((performance.now() - start) / 1000).toBeGreaterThan(2.9);
    await close();
  });

  it.each([0, -1, Number.NaN, Infinity, '3', 1e9])('must be a positive number of seconds, not %p', async (deadline) => {
    const { dataSource, close } = await open(SQLITE_IN_MEMORY, PREFIX);
    expect(() => new TypeOrmStore(dataSource, { users, prefix: PREFIX, deadline: deadline as number })).toThrow(
      'Invalid argument: `deadline` must be a positive number of seconds',
    );
    await close();
  });
});
