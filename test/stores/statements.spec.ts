import { hash } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OAuth2Server, Response } from 'nest-oauth2/server';
import { type IoRedisClient, RedisStore } from 'nest-oauth2/stores/redis';
import { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';

import { CALLBACK } from '../support/models/model.js';
import { describeEach } from '../support/environment/requirements.js';
import {
  runOperation,
  authorizeRequest,
  CHALLENGE,
  resourceRequest,
  signedIn,
  tokenRequest,
  VERIFIER,
} from '../support/clients/requests.js';
import { WEB } from './every-store.js';
import { findRedis, Keys } from './redis-server.js';
import { StatementLog } from './statement-log.js';
import { findDatabases, open, type Opened, ownPrefix, users } from './typeorm-databases.js';

/** Returns the cost of each operation, including the client lookup. */
async function costs(server: OAuth2Server, count: () => number) {
  const ask = async (body: object) => {
    const before = count();
    const { body: said, status } = await runOperation(server, 'token', tokenRequest({ ...body }));
    expect([status, said]).toEqual([200, expect.objectContaining({ refresh_token: expect.any(String) })]);
    return { said: said as Record<string, string>, cost: count() - before };
  };
  const requested = authorizeRequest({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
  const { redirected } = await runOperation(server, 'authorize', requested, signedIn);
  const code = { code: redirected['code'], redirect_uri: CALLBACK, code_verifier: VERIFIER };
  const redeemed = await ask({ grant_type: 'authorization_code', ...code });
  const refreshed = await ask({ grant_type: 'refresh_token', refresh_token: redeemed.said['refresh_token'] });
  const request = resourceRequest(`Bearer ${refreshed.said['access_token']}`);
  const before = count();
  await server.authenticate(request, new Response());
  return { redeem: redeemed.cost, refresh: refreshed.cost, authenticate: count() - before };
}

const GOALS: Record<string, number> = { PostgreSQL: 3, MariaDB: 4, 'SQLite in a file': 4, 'SQLite in memory': 4 };

describe.each(await findDatabases())('the statements of a TypeORM store on $name', (database) => {
  const log = new StatementLog('all');
  let opened: Opened;
  let server: OAuth2Server;

  beforeAll(async () => {
    opened = await open(database, ownPrefix('counted'), { logger: log, logging: true });
    await opened.store.saveClient(WEB);
    server = new OAuth2Server({ model: opened.store });
  });
  beforeEach(() => void log.statements.splice(0));
  afterAll(() => opened.close());

  it('authentication takes one SQL statement, and redeeming and refreshing take the minimum', async () => {
    const goal = GOALS[database.name]!;
    expect(await costs(server, () => log.statements.length)).toEqual({ redeem: goal, refresh: goal, authenticate: 1 });
  });

  it('saving tokens does not update a grant that was just created', async () => {
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };
    expect((await runOperation(server, 'token', tokenRequest(password))).status).toBe(200);
    expect(log.statements.length).toBeGreaterThan(1);
    // The password grant also counts its attempts, which are rows of another table.
    expect(log.statements.filter((statement) => /(^|AS \( ?)UPDATE \S*_grants\b/.test(statement))).toEqual([]);
  });

  if (database.name === 'PostgreSQL')
    it('the look-up of a token reads one grant on PostgreSQL, even before the table has statistics', async () => {
      const { store, dataSource } = opened;
      const save = (accessToken: string) =>
        store.saveToken({ accessToken, accessTokenExpiresAt: new Date(Date.now() + 1e6) }, WEB, { id: 'alice' });
      await save('many');
      log.statements.splice(0);
      await store.getAccessToken('many');
      const statement = log.statements[0]!.replace(/ -- PARAMETERS.*/, '');
      const digest = hash('sha256', 'many 99', 'base64url');
      const runner = dataSource.createQueryRunner();
      // Long-lived connections use generic plans.
      await runner.query('SET plan_cache_mode = force_generic_plan');
      await runner.query(`PREPARE found (text, text) AS ${statement}`);
      await runner.query(`EXECUTE found ('${digest}', 'access')`);
      for (let n = 0; n < 100; n++) await save(`many ${n}`);
      const rows: unknown = await runner.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE found ('${digest}', 'access')`);
      await runner.query('DEALLOCATE found');
      await runner.query('RESET plan_cache_mode');
      await runner.release();
      const read = Array.from(JSON.stringify(rows).matchAll(/"Actual Rows":([\d.]+)/g), ([, count]) => Number(count));
      expect(read.length).toBeGreaterThan(2);
      expect(Math.max(...read)).toBe(1);
    });

  if (database.name === 'PostgreSQL')
    it('SQL statements are prepared by name on PostgreSQL, unless that is disabled', async () => {
      const prefix = ownPrefix('counted');
      const names = async (dataSource: DataSource) => {
        const found = await dataSource.query<{ name: string }[]>('SELECT name FROM pg_prepared_statements');
        return found.filter(({ name }) => name.startsWith('oauth2_')).length;
      };
      for (const preparedStatements of [true, false]) {
        const extra = { max: 1 };
        const single = await open(database, `${prefix}${preparedStatements}_`, {
          extra,
          store: { preparedStatements },
        });
        await single.store.saveClient(WEB);
        await costs(new OAuth2Server({ model: single.store }), () => 0);
        expect((await names(single.dataSource)) > 0).toBe(preparedStatements);
        await single.close();
      }
    });

  if (database.name === 'PostgreSQL')
    it('refreshes update the row of their grant without changing indexes in PostgreSQL (48 of 50 are HOT updates)', async () => {
      const prefix = ownPrefix('hot');
      const single = await open(database, prefix, { extra: { max: 1 } });
      await single.store.saveClient(WEB);
      const model = new OAuth2Server({ model: single.store });
      const password = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'read' };
      let { body } = await runOperation(model, 'token', tokenRequest(password));
      for (let count = 0; count < 50; count += 1) {
        ({ body } = await runOperation(
          model,
          'token',
          tokenRequest({ grant_type: 'refresh_token', refresh_token: body['refresh_token'] }),
        ));
      }
      await single.dataSource.query('SELECT pg_stat_force_next_flush()');
      const [counted] = await single.dataSource.query<{ all: string; hot: string }[]>(
        `SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = '${prefix}grants'`,
      );
      expect(Number(counted!.all)).toBe(50);
      // One update may move to another page, or happen at midnight.
      expect(Number(counted!.hot)).toBeGreaterThanOrEqual(48);
      await single.close();
    });
});

/** Counts round trips: commands that are sent together count once. */
class CountingRedis implements IoRedisClient {
  roundTrips = 0;
  private underWay = 0;

  constructor(private readonly redis: Redis) {}

  evalsha(sha: string, keyCount: number, ...more: string[]): Promise<unknown> {
    return this.counted(this.redis.evalsha(sha, keyCount, ...more));
  }

  eval(script: string, keyCount: number, ...more: string[]): Promise<unknown> {
    return this.redis.eval(script, keyCount, ...more);
  }

  private async counted(reply: Promise<unknown>): Promise<unknown> {
    if (this.underWay++ === 0) this.roundTrips++;
    return reply.finally(() => this.underWay--);
  }
}

describeEach((await findRedis()).map((url) => ({ url })))('the round trips of a Redis store', ({ url }) => {
  it('a Redis store needs one round trip to authenticate, and three to redeem and to refresh', async () => {
    const redis = new Redis(url);
    const keys = new Keys([url]);
    const client = new CountingRedis(redis);
    const store = new RedisStore({ client, users, prefix: keys.prefix });
    await store.saveClient(WEB);
    const server = new OAuth2Server({ model: store });
    // Afterwards the server has cached the scripts.
    await costs(server, () => 0);
    expect(await costs(server, () => client.roundTrips)).toEqual({ redeem: 3, refresh: 3, authenticate: 1 });
    await keys.remove();
    await redis.quit();
  });
});
