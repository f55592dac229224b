import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { threadTimes, timeBetween } from '../cpu-time.js';
import { databases } from './stores.js';

const IDLE_SECONDS = 1;

/**
 * Opens a view of a database that reads how much CPU time, log and storage a deployment used. Each value is `undefined`
 * if it cannot be read, for example CPU time of a database on another machine.
 */
export async function watch(kind, options) {
  const view = await views[kind](options);
  const idle = view.isShared ? await idleRate(view) : 0;
  return {
    ...view,
    version: await view.version(),
    /** Returns what was used between two readings of `read()`, which are `seconds` apart. */
    used: (before, after, seconds) => ({
      backend: atLeastZero(cpuBetween(before.cpu, after.cpu), idle * seconds),
      log: atLeastZero(difference(before.log, after.log)),
      stored: atLeastZero(difference(before.stored, after.stored)),
    }),
  };
}

const views = { postgres: watchPostgres, mariadb: watchMariaDb, redis: watchRedis };

const difference = (before, after) => (before === undefined || after === undefined ? undefined : after - before);
const atLeastZero = (value, less = 0) => (value === undefined ? undefined : Math.max(0, value - less));

/** Returns the CPU microseconds per second of a database server that has nothing to do. */
async function idleRate(view) {
  const before = await view.read();
  await sleep(IDLE_SECONDS * 1000);
  const { cpu } = await view.read();
  return (cpuBetween(before.cpu, cpu) ?? 0) / IDLE_SECONDS;
}

const cpuBetween = (before, after) => (before && after ? timeBetween(before, after) : undefined);

/** Returns the CPU times of local processes with this name. In a container, the IDs may be those of other processes. */
function times(pids, command) {
  try {
    const isRight = (pid) => command.test(readFileSync(`/proc/${pid}/comm`, 'utf8'));
    return pids.every(isRight) ? threadTimes(pids) : undefined;
  } catch {
    return undefined;
  }
}

/** @param options `name`: the name of the connections. `prefix`: of the tables. `url`: if it is another database. */
async function watchPostgres({ name, prefix, url = databases.postgres.url }) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const value = async (text, values) => Object.values((await client.query(text, values)).rows[0])[0];
  const backends = `SELECT array_agg(pid) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND ${name ? 'application_name = $1' : 'datname = current_database() AND $1 = $1'}`;
  const size = `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND starts_with(relname, $1)`;
  return {
    logTitle: 'WAL',
    version: async () => `PostgreSQL ${(await value('SHOW server_version')).split(' ')[0]}`,
    async read() {
      const pids = (await value(backends, [name ?? ''])) ?? [];
      return {
        cpu: times(pids, /postgres/),
        log: Number(await value(`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`)),
        stored: Number(await value(size, [prefix ?? ''])),
      };
    },
    close: () => client.end(),
  };
}

async function watchMariaDb({ prefix }) {
  const { createConnection } = await import('mysql2/promise');
  const client = await createConnection(databases.mariadb.url);
  const rows = async (text) => (await client.query(text))[0];
  const setting = async (text) => (await rows(text))[0]?.Value;
  const pid = pidIn(await setting(`SHOW VARIABLES LIKE 'pid_file'`));
  const tables = `information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '${prefix}%'`;
  return {
    isShared: true,
    logTitle: 'redo log',
    version: async () => `MariaDB ${(await setting(`SHOW VARIABLES LIKE 'version'`)).split('-')[0]}`,
    async read() {
      const cpu = pid && times([pid], /mariadbd|mysqld/);
      const log = Number(await setting(`SHOW GLOBAL STATUS LIKE 'Innodb_os_log_written'`));
      return { cpu, log, stored: await storedBytes() };
    },
    close: () => client.end(),
  };

  /** Returns the bytes of the pages of all tables and indexes. The statistics are updated first. */
  async function storedBytes() {
    const names = (await rows(`SELECT TABLE_NAME AS name FROM ${tables}`)).map(({ name }) => `\`${name}\``);
    if (names.length === 0) return undefined;
    await rows(`ANALYZE NO_WRITE_TO_BINLOG TABLE ${names.join()}`);
    return Number((await rows(`SELECT SUM(DATA_LENGTH + INDEX_LENGTH) AS bytes FROM ${tables}`))[0].bytes);
  }
}

function pidIn(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** On Redis, the stored bytes are the memory. */
async function watchRedis() {
  const { Redis } = await import('ioredis');
  const client = new Redis(databases.redis.url, { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => {});
  await client.connect();
  const info = async (section, field) => new RegExp(`^${field}:(.*)$`, 'm').exec(await client.info(section))[1].trim();
  const pid = Number(await info('server', 'process_id'));
  return {
    isShared: true,
    version: async () => `Redis ${await info('server', 'redis_version')}`,
    async read() {
      return { cpu: times([pid], /redis/), stored: Number(await info('memory', 'used_memory')) };
    },
    close: () => client.quit(),
  };
}
