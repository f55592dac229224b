import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DrizzleStore } from 'nest-oauth2/stores/drizzle';
import { PrismaStore } from 'nest-oauth2/stores/prisma';
import { oauthEntities, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';

import { later } from '../support/models/model.js';
import { describeEach } from '../support/environment/requirements.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { openPrisma } from './prisma-client.js';
import { openDrizzle } from './sql-libraries.js';
import { findDatabases, open, type Opened, ownPrefix, users, WEB } from './typeorm-databases.js';

const ALICE = { id: 'alice' };
const ONE_CONNECTION = { postgres: { max: 1 }, mariadb: { connectionLimit: 1 } };
const servers = (await findDatabases()).filter(({ name }) => !name.startsWith('SQLite'));

type AnyStore = DrizzleStore | PrismaStore | TypeOrmStore;
type Options = ConstructorParameters<typeof DrizzleStore>[1] & { prefix: string };

/** A store on a pool of one connection, and how to keep that connection busy. */
interface SmallPool {
  store: AnyStore;
  /** Runs work while a transaction of the application holds the connection. */
  occupied(work: () => Promise<unknown>): Promise<unknown>;
  close(): Promise<unknown>;
}

const LIBRARIES: Record<string, (database: DataSourceOptions, options: Options) => Promise<SmallPool>> = {
  async TypeORM(database, { prefix, ...options }) {
    const all = { ...database, entities: oauthEntities({ prefix }) } as DataSourceOptions;
    const source = await new DataSource(all).initialize();
    return {
      store: new TypeOrmStore(source, { prefix, ...options }),
      occupied: (work) => source.transaction(work),
      close: () => source.destroy(),
    };
  },
  async Drizzle(database, options) {
    const { db, close } = await openDrizzle(database);
    const { transaction } = db as unknown as { transaction(work: () => Promise<unknown>): Promise<unknown> };
    return { store: new DrizzleStore(db, options), occupied: transaction.bind(db), close };
  },
  async Prisma(database, options) {
    const { db, close } = await openPrisma(database);
    return {
      store: new PrismaStore(db, options),
      occupied: (work) => db.$transaction(work, { timeout: 60_000 }),
      close,
    };
  },
};

const libraries = Object.keys(LIBRARIES);
const cases = servers.flatMap((database) => libraries.map((library) => ({ database, library })));

describeEach(cases)('a store of $library on $database.name whose pool is exhausted', ({ database, library }) => {
  const prefix = ownPrefix('exhausted');
  let opened: Opened;
  let pool: SmallPool;
  const tokens = (name: string) => ({
    accessToken: `access ${name}`,
    accessTokenExpiresAt: later(),
    refreshToken: `refresh ${name}`,
    refreshTokenExpiresAt: later(),
    grantId: name,
  });

  beforeAll(async () => {
    opened = await open(database, prefix);
    await opened.store.saveClient(WEB);
    const { extra, ...options } = database.options();
    const one = ONE_CONNECTION[options.type as keyof typeof ONE_CONNECTION];
    const limited = { ...options, extra: { ...extra, ...one } } as DataSourceOptions;
    pool = await LIBRARIES[library]!(limited, { users, prefix, deadline: 0.3 });
    await untilFree();
  });
  afterAll(async () => {
    await pool.close();
    await opened.close();
  });

  /** Waits until a call gets the connection. The pool serves its callers in order, so earlier ones are served by then. */
  const untilFree = () =>
    waitUntil(() =>
      Promise.resolve(pool.store.getAccessToken('none')).then(
        () => true,
        () => false,
      ),
    );

  /** Runs a call that finds no free connection until its deadline. Then waits until the pool has worked off its queue. */
  async function runTooLate(call: () => Promise<unknown>): Promise<void> {
    await pool.occupied(async () => {
      await expect(call()).rejects.toMatchObject({ status: 503 });
    });
    await untilFree();
  }

  it('never redeems a refresh token after the call has failed with 503', async () => {
    await opened.store.saveToken(tokens('first'), WEB, ALICE);
    const used = (await opened.store.getRefreshToken('refresh first'))!;
    await runTooLate(() => pool.store.redeem(used, { ...tokens('next'), grantId: 'first' }, WEB, ALICE));
    expect(await opened.store.getRefreshToken('refresh first')).not.toHaveProperty('revokedAt');
    expect(await opened.store.getAccessToken('access next')).toBeUndefined();
  });

  it('never saves a token after the call has failed with 503', async () => {
    await runTooLate(() => pool.store.saveToken(tokens('late'), WEB, ALICE));
    expect(await opened.store.getAccessToken('access late')).toBeUndefined();
  });

  it('never saves the tokens of a batch after their calls have failed with 503', async () => {
    const names = Array.from({ length: 5 }, (_, index) => `batch ${index}`);
    await runTooLate(() => {
      const saves = names.map((name) => pool.store.saveToken(tokens(name), WEB, ALICE));
      return Promise.allSettled(saves).then(() => saves[0]);
    });
    for (const name of names) expect(await opened.store.getAccessToken(`access ${name}`)).toBeUndefined();
  });

  it('never consumes a single-use value after the call has failed with 503', async () => {
    await runTooLate(() => pool.store.once('single-use', 60));
    expect(await opened.store.once('single-use', 60)).toBe(true);
  });

  it('never counts after the call has failed with 503', async () => {
    await runTooLate(() => pool.store['storage'].count('attempts', 60, 1));
    expect(await opened.store['storage'].count('attempts', 60, 0)).toMatchObject({ count: 0 });
  });

  it('never revokes a grant after the call has failed with 503', async () => {
    await opened.store.saveToken(tokens('kept'), WEB, ALICE);
    await runTooLate(() => pool.store.revokeGrant('kept'));
    expect(await opened.store.getAccessToken('access kept')).toBeDefined();
  });
});
