import { setTimeout } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { OAuth2Server } from 'nest-oauth2/server';
import { RedisStore } from 'nest-oauth2/stores/redis';
import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';

import { ALICE, later, SECRET, WEB } from '../support/models/model.js';
import { runOperation, resourceRequest, tokenRequest } from '../support/clients/requests.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { describeEach } from '../support/environment/requirements.js';
import { findServers, open, type Opened, ownPrefix, users } from './typeorm-databases.js';

const PREFIX = ownPrefix('outages');
const POOL = 3;
const clients = { findById: () => ({ ...WEB, secret: SECRET }) };
const servers = await findServers();
const codes = (text: string) => text.trim().split(/\s+/);

const CODES: Record<string, string[]> = {
  PostgreSQL: codes('25006 57014 57P01 57P02 57P03 08P01 08006 53100 53200 53300 53400 55P03 58030 25P04 57P04 40003'),
  MariaDB: codes(`
    ER_OPTION_PREVENTS_STATEMENT ER_READ_ONLY_MODE ER_CON_COUNT_ERROR ER_LOCK_WAIT_TIMEOUT ER_QUERY_INTERRUPTED
    ER_TOO_MANY_USER_CONNECTIONS ER_DISK_FULL ER_SERVER_SHUTDOWN ER_UNKNOWN_COM_ERROR PROTOCOL_CONNECTION_LOST
    ER_INNODB_READ_ONLY ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION ER_SERVER_OFFLINE_MODE ER_HOST_IS_BLOCKED
    ER_SESSION_WAS_KILLED ER_RUN_HOOK_ERROR ER_NET_READ_ERROR ER_NET_WRITE_INTERRUPTED
  `),
};

/** Driver errors without a code. */
const MESSAGES: Record<string, string[]> = {
  PostgreSQL: ['Query read timeout', 'timeout expired', 'Cannot use a pool after calling end on the pool'],
  MariaDB: ['No connections available.', 'Queue limit reached.', 'Pool is closed.'],
};

/** Conflicts after which the statement had no effect. */
const RETRIED: Record<string, string[]> = {
  PostgreSQL: ['40001', '40P01'],
  MariaDB: [
    'ER_LOCK_DEADLOCK',
    'ER_CHECKREAD',
    'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
    'ER_CLIENT_INTERACTION_TIMEOUT',
  ],
};

describeEach(servers)('a TypeORM store during an outage of $name', ({ name, options }) => {
  const isPostgres = name === 'PostgreSQL';
  let opened: Opened;
  let server: OAuth2Server;
  let locker: DataSource;
  const authenticate = () => runOperation(server, 'authenticate', resourceRequest('Bearer access'));
  const issue = () => runOperation(server, 'token', tokenRequest({ grant_type: 'client_credentials' }));

  beforeAll(async () => {
    opened = await open({ name, options }, PREFIX, { poolSize: POOL, applicationName: PREFIX });
    const model = new TypeOrmStore(opened.dataSource, { users, clients, prefix: PREFIX, deadline: 0.3 });
    server = new OAuth2Server({ model });
    await model.saveToken({ accessToken: 'access', accessTokenExpiresAt: later() }, { ...WEB }, ALICE);
    locker = await new DataSource({ ...options(), poolSize: 2 } as ReturnType<typeof options>).initialize();
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    await locker.destroy();
    await opened.close();
  });

  /** Returns how many statements wait at the server, on any connection of the store. */
  async function waiting(): Promise<number> {
    const query = isPostgres
      ? `SELECT COUNT(*) AS count FROM pg_stat_activity WHERE application_name = '${PREFIX}'`
      : `SELECT COUNT(*) AS count FROM information_schema.processlist WHERE info LIKE '%\`${PREFIX}tokens\`%' AND state LIKE 'Waiting%'`;
    const [row] = await locker.query<{ count: string }[]>(query);
    return Number(row!.count);
  }

  it('leaves no statements behind that wait for a lock', async () => {
    const runner = locker.createQueryRunner();
    await runner.startTransaction();
    await runner.query(isPostgres ? `LOCK TABLE ${PREFIX}tokens` : `LOCK TABLES ${PREFIX}tokens WRITE`);
    let most = 0;
    const start = performance.now();
    const statuses = new Set<number>();
    while (performance.now() - start < 2000) {
      const requested = Array.from({ length: 2 * POOL }, () => [authenticate(), issue()]).flat();
      for (const { status } of await Promise.all(requested)) statuses.add(status);
      most = Math.max(most, await waiting());
    }
    if (!isPostgres) await runner.query('UNLOCK TABLES');
    await runner.rollbackTransaction();
    await runner.release();
    expect(statuses).toEqual(new Set([503]));
    // A canceled connection may still be closing when the pool opens the next one.
    expect(most).toBeLessThanOrEqual(2 * POOL);
    await waitUntil(async () => (await authenticate()).status === 200 && (await issue()).status === 200);
  }, 60_000);

  it.each(CODES[name]!)('responds with 503 for the driver error %s', async (code) => {
    const driverError = Object.assign(new Error(`injected ${code}`), { code });
    const createQueryRunner = opened.dataSource.createQueryRunner.bind(opened.dataSource);
    const spy = jest.spyOn(opened.dataSource, 'createQueryRunner').mockImplementation(() => {
      const runner = createQueryRunner();
      runner.connect = () => Promise.reject(Object.assign(new Error('injected'), { driverError }));
      return runner;
    });
    const { status, error, headers } = await authenticate();
    spy.mockRestore();
    expect([status, error?.name, headers['retry-after']]).toEqual([503, 'temporarily_unavailable', '1']);
  });

  it.each(MESSAGES[name]!)('responds with 503 for the driver error without a code "%s"', async (message) => {
    jest.spyOn(opened.dataSource, 'createQueryRunner').mockImplementation(() => {
      throw Object.assign(new Error('injected'), { driverError: new Error(message) });
    });
    expect((await authenticate()).error?.name).toBe('temporarily_unavailable');
  });

  it.each(RETRIED[name]!)('repeats a statement after the driver error %s', async (code) => {
    // A busy machine can spend the short deadline of the other tests between the two attempts.
    const patient = new TypeOrmStore(opened.dataSource, { users, clients, prefix: PREFIX, deadline: 60 });
    const request = resourceRequest('Bearer access');
    const createQueryRunner = opened.dataSource.createQueryRunner.bind(opened.dataSource);
    const spy = jest.spyOn(opened.dataSource, 'createQueryRunner').mockImplementationOnce(() => {
      const runner = createQueryRunner();
      runner.connect = () => Promise.reject(Object.assign(new Error('injected'), { driverError: { code } }));
      return runner;
    });
    const { status } = await runOperation(new OAuth2Server({ model: patient }), 'authenticate', request);
    expect(status).toBe(200);
    expect(spy).toHaveBeenCalledTimes(2);
  });

  it('responds with server_error for an invalid statement', async () => {
    const driverError = Object.assign(new Error('injected'), { code: isPostgres ? '42601' : 'ER_PARSE_ERROR' });
    jest.spyOn(opened.dataSource, 'createQueryRunner').mockImplementation(() => {
      throw Object.assign(new Error('injected'), { driverError });
    });
    expect((await authenticate()).error?.name).toBe('server_error');
  });
});

describeEach(servers.filter(({ name }) => name === 'MariaDB'))('canceling a statement on $name', (database) => {
  it('canceling a statement never affects a connection with the same number at another database server', async () => {
    const prefix = ownPrefix('stopped');
    const opened = await open(database, prefix, { poolSize: 1 });
    const store = new TypeOrmStore(opened.dataSource, { users, clients, prefix, deadline: 0.3 });
    const other = await new DataSource({ ...database.options(), poolSize: 2 } as ReturnType<
      typeof database.options
    >).initialize();
    const [locker, victim] = [other.createQueryRunner(), other.createQueryRunner()];
    const [{ id }] = (await victim.query('SELECT CONNECTION_ID() AS id')) as [{ id: number }];
    await locker.query(`LOCK TABLES ${prefix}tokens WRITE, ${prefix}grants WRITE, ${prefix}clients WRITE`);
    // As after a failover: at the new server, this number belongs to a connection of another process.
    const runner = opened.dataSource.createQueryRunner();
    Object.defineProperty(await runner.connect(), 'threadId', { value: id });
    await runner.release();
    await expect(store.getAccessToken('x')).rejects.toMatchObject({ status: 503 });
    await setTimeout(500);
    expect(await victim.query('SELECT 1 AS alive')).toMatchObject([{ alive: 1 }]);
    await locker.query('UNLOCK TABLES');
    await Promise.all([locker.release(), victim.release()]);
    await other.destroy();
    await opened.close();
  });
});

describeEach(servers.filter(({ name }) => name === 'PostgreSQL'))(
  'a TypeORM store after a failover of $name',
  (database) => {
    let opened: Opened;
    afterAll(() => opened.close());

    it('after a failover, a store rejects one call with the status 503, and replaces all connections to the new replica', async () => {
      opened = await open(database, ownPrefix('failover'), { poolSize: POOL });
      const { dataSource, store } = opened;
      const save = (accessToken: string) =>
        store.saveToken({ accessToken, accessTokenExpiresAt: later() }, { ...WEB }, ALICE);
      const demote = () =>
        dataSource.query('SELECT pg_sleep(0.1), set_config($1, $2, false)', ['default_transaction_read_only', 'on']);
      await Promise.all(Array.from({ length: POOL }, demote));
      await expect(save('first')).rejects.toMatchObject({ status: 503, retryAfter: 1 });
      await Promise.all(Array.from({ length: 4 * POOL }, (_, n) => save(`token ${n}`)));
      const found = await Promise.all(Array.from({ length: 4 * POOL }, (_, n) => store.getAccessToken(`token ${n}`)));
      expect(found.filter((token) => token === undefined)).toEqual([]);
    });
  },
);

describeEach(servers.filter(({ name }) => name === 'PostgreSQL'))(
  'a TypeORM store behind a connection pooler for $name',
  (database) => {
    it('a store reports how to configure a connection pooler without support for prepared statements', async () => {
      const { dataSource, store, close } = await open(database, ownPrefix('pooler'), { poolSize: 1 });
      await store.getAccessToken('x');
      // Another client that shares the connection has the same effect.
      await dataSource.query('DEALLOCATE ALL');
      await expect(store.getAccessToken('x')).rejects.toThrow(/max_prepared_statements.*`preparedStatements: false`/);
      await close();
    });
  },
);

describe('a Redis store whose server rejects a command', () => {
  const refuse = (message: string) => {
    let count = 0;
    const evalsha = () => {
      count++;
      return Promise.reject(new Error(message));
    };
    const store = new RedisStore({ client: { evalsha, eval: evalsha }, users, clients, deadline: 0.3 });
    return { store, count: () => count };
  };

  it.each([
    "OOM command not allowed when used memory > 'maxmemory'.",
    'ERR Error running script (call to f_0): @user_script:1: @user_script: 1: -OOM command not allowed when used memory',
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
    'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
    "READONLY You can't write against a read only replica.",
    'LOADING Redis is loading the dataset in memory',
    'CLUSTERDOWN The cluster is down',
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'NOREPLICAS Not enough good replicas to write.',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'Too many Cluster redirections. Last error: Error: MOVED 1 127.0.0.1:7000',
    'ERR max number of clients reached',
    'ERR max number of clients + cluster connections reached',
  ])('rejects calls with the status 503 after the Redis error: %s', async (message) => {
    await expect(refuse(message).store.getAccessToken('x')).rejects.toMatchObject({ status: 503 });
  });

  it('does not retry when Redis is out of memory', async () => {
    let count = 0;
    const evalSha = () => {
      count++;
      return Promise.reject(new Error("OOM command not allowed when used memory > 'maxmemory'."));
    };
    const store = new RedisStore({ client: { evalSha, eval: evalSha }, users, clients, deadline: 0.3 });
    await expect(store.getAccessToken('x')).rejects.toMatchObject({ status: 503, retryAfter: 1 });
    expect(count).toBe(1);
  });

  it('rejects a call with the original error of Redis if it is unknown', async () => {
    await expect(refuse('ERR unknown command').store.getAccessToken('x')).rejects.toThrow('ERR unknown command');
  });
});
