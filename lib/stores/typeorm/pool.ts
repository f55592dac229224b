import type { DataSource, QueryRunner } from 'typeorm';

import type { Wait } from '../deadline.js';
import type { Connections, Result, Statement } from './connections.js';
import { runPrepared } from './prepared.js';

const NONE_FREE =
  'no connection was free. The network is silent, or the pool is too small, or the store was called inside of ' +
  '`transaction()` while transactions held every connection: it needs one of its own';

/** A pool of connections to PostgreSQL, MariaDB or MySQL: each statement takes one. */
export class Pool implements Connections {
  /** @param isPrepared does PostgreSQL know the statements by name? */
  constructor(
    private readonly source: DataSource,
    private readonly isPrepared: boolean,
  ) {
    keepAlive(source);
  }

  run(statement: Statement, wait: Wait): Promise<Result> {
    return this.hold(wait, (runner) => this.query(runner, statement));
  }

  together([first, ...others]: readonly Statement[], wait: Wait): Promise<boolean> {
    return this.hold(wait, async (runner) => {
      await runner.startTransaction();
      try {
        const isDecided = Boolean((await this.query(runner, first!)).affected);
        if (isDecided) for (const statement of others) await this.query(runner, statement);
        await runner.commitTransaction();
        return isDecided;
      } catch (error) {
        // What went wrong first is what is told.
        if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
        throw error;
      }
    });
  }

  private async hold<T>(wait: Wait, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    keepAlive(this.source);
    const runner = this.source.createQueryRunner();
    wait.reason = NONE_FREE;
    try {
      const connection = (await runner.connect()) as PooledConnection;
      // Nothing is done that nobody waits for: whoever asked may have asked again.
      if (wait.isOver) throw new Error(wait.reason);
      wait.reason = 'the statement was sent, and nothing came back';
      wait.abandon = () => drop(runner, connection);
      return await work(runner);
    } finally {
      wait.abandon = undefined;
      await runner.release();
    }
  }

  private async query(runner: QueryRunner, { text, values }: Statement): Promise<Result> {
    if (this.isPrepared) return runPrepared(this.source, runner, { text, values });
    return (await runner.query(text, values, true)) as Result;
  }
}

interface PooledConnection {
  destroy?(): void;
  stream?: { destroy(): void };
}

/** A connection that fell silent is good for nobody: it would keep its place in the pool until the network gives it up. */
function drop(runner: QueryRunner, connection: PooledConnection): void {
  const postgres = runner as { releasePostgresConnection?(error: Error): Promise<void> };
  if (postgres.releasePostgresConnection) {
    void postgres.releasePostgresConnection(new Error('It fell silent'));
  } else {
    // mysql2 takes it out of the pool, and says goodbye to nobody.
    connection.destroy?.();
    connection.stream?.destroy();
  }
}

interface PostgresPool {
  on(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
}

interface PostgresClient {
  on(event: 'error', listener: () => void): unknown;
}

const seen = new WeakSet<PostgresPool | PostgresClient>();

/**
 * Keeps the process alive when PostgreSQL restarts. Between the pool's listener and the one of TypeORM a connection has
 * none for a moment, and an `error` that nobody hears ends the process. Who uses the connection is told in other ways.
 */
function keepAlive({ driver }: DataSource): void {
  // A DataSource that is closed and opened again has other pools.
  const { master, slaves = [] } = driver as { master?: PostgresPool; slaves?: PostgresPool[] };
  if (!master?.on || seen.has(master)) return;
  for (const pool of [master, ...slaves]) {
    seen.add(pool);
    pool.on('acquire', (client) => {
      if (seen.has(client)) return;
      seen.add(client);
      client.on('error', () => undefined);
    });
  }
}
