import type { DataSource, QueryRunner } from 'typeorm';

import type { TimedOperation } from '../contract/deadline.js';
import type { Connections, Result, Statement } from '../sql/connections.js';
import { type EmittingPool, handlePoolErrors } from '../sql/pool-errors.js';
import { generationsOf } from './connection-generations.js';
import { runPrepared } from './prepared.js';
import { isReadOnly, isRejected, isStalePlan } from '../sql/statement-errors.js';
import { type PooledConnection, stopStatement } from './stop-statement.js';

const NONE_FREE =
  'no connection was free. The network does not respond, the pool is too small, or the store was called inside ' +
  '`transaction()` while transactions held every connection: the store needs a connection of its own';

/** Runs statements on a pool of connections to PostgreSQL, MariaDB or MySQL. Each statement uses one connection. */
export class Pool implements Connections {
  /** @param isPrepared whether to use prepared statements on PostgreSQL */
  constructor(
    private readonly source: DataSource,
    private readonly isPrepared: boolean,
  ) {
    keepAlive(source);
  }

  run(statement: Statement, operation: TimedOperation): Promise<Result> {
    return this.hold(operation, (runner) => this.query(runner, statement));
  }

  runAtomically(
    [first, ...others]: readonly Statement[],
    operation: TimedOperation,
    query?: Statement,
  ): Promise<unknown[] | undefined> {
    return this.hold(operation, async (runner) => {
      await runner.startTransaction();
      try {
        const isDecided = Boolean((await this.query(runner, first!)).affected);
        if (isDecided) for (const statement of others) await this.query(runner, statement);
        const records = isDecided && query ? (await this.query(runner, query)).records : [];
        await runner.commitTransaction();
        return isDecided ? records : undefined;
      } catch (error) {
        // The error of the statement is reported, not the error of the rollback.
        if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * Runs work on a connection. Drops the connection if the deadline passes, if its server is read-only, or if a column
   * has changed since it prepared the statement. Then the other connections are probably unusable too, and are replaced
   * before they are used.
   */
  private async hold<T>(operation: TimedOperation, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
    keepAlive(this.source);
    const generations = generationsOf(this.source);
    const { runner, connection } = await this.connect(operation);
    const sentAt = performance.now();
    let mustDrop = false;
    try {
      operation.reason = 'the statement was sent, but there was no response';
      operation.cancel = () => {
        mustDrop = true;
        generations.renewIfSilent(sentAt);
        const stopped = stopStatement(this.source, connection);
        // PgBouncer forwards a cancel request only while the client is connected.
        if (this.source.options.type === 'postgres') void stopped.then(() => drop(runner, connection));
        else drop(runner, connection);
      };
      const result = await work(runner);
      generations.respondedAt = performance.now();
      return result;
    } catch (error) {
      if (isRejected(error)) generations.respondedAt = performance.now();
      if (isReadOnly(error) || isStalePlan(error)) {
        mustDrop = true;
        generations.renew();
      }
      throw error;
    } finally {
      operation.cancel = undefined;
      if (mustDrop) drop(runner, connection);
      await runner.release();
    }
  }

  private async connect(operation: TimedOperation): Promise<{ runner: QueryRunner; connection: PooledConnection }> {
    for (;;) {
      const runner = this.source.createQueryRunner();
      operation.reason = NONE_FREE;
      let isUsed = false;
      try {
        const connection = (await runner.connect()) as PooledConnection;
        // After the deadline, nothing is sent: the client may have sent its request again.
        if (operation.isTimedOut) throw new Error(operation.reason);
        isUsed = generationsOf(this.source).isCurrent(connection);
        if (isUsed) return { runner, connection };
        drop(runner, connection);
      } finally {
        if (!isUsed) await runner.release();
      }
    }
  }

  private async query(runner: QueryRunner, { text, values }: Statement): Promise<Result> {
    if (this.isPrepared) return runPrepared(this.source, runner, { text, values });
    return (await runner.query(text, values, true)) as Result;
  }
}

/** Removes a connection from the pool and closes it. */
function drop(runner: QueryRunner, connection: PooledConnection): void {
  const postgres = runner as { releasePostgresConnection?(error: Error): Promise<void> };
  if (postgres.releasePostgresConnection) {
    void postgres.releasePostgresConnection(new Error('The store dropped the connection'));
  } else {
    // mysql2 removes it from the pool, but does not close the socket at once.
    connection.destroy?.();
    connection.stream?.destroy();
  }
}

/** For a moment, a connection has neither the error listener of the pool nor that of TypeORM. */
function keepAlive({ driver }: DataSource): void {
  // A DataSource that is closed and initialized again has other pools.
  const { master, slaves = [] } = driver as { master?: EmittingPool; slaves?: EmittingPool[] };
  if (master?.on) for (const pool of [master, ...slaves]) handlePoolErrors(pool);
}
