import { setImmediate, setTimeout } from 'node:timers/promises';

import type { Deadline, TimedOperation } from '../contract/deadline.js';
import { Batches, type Statements } from './batches.js';
import type { Connections, Result, Statement } from './connections.js';
import type { Dialect } from './dialect.js';
import { type Identifier, type Sql, rawSql, sql } from './sql.js';
import { isRetryable, isDuplicateKey, isMissingTableOrColumn } from './statement-errors.js';

/** SQL for the current time of the database, in milliseconds since the epoch. */
const NOW: Readonly<Record<Dialect, string>> = {
  postgresql: '(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint',
  mysql: `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000`,
  sqlite: `CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)`,
};

/** The functions that a library for SQL databases provides, so that a store can run its statements through it. */
export interface SqlExecutor {
  readonly dialect: Dialect;
  readonly connections: Connections;
  /** Returns the name of a table, escaped for the dialect. */
  table(name: string): Identifier;
}

/** Runs statements of a store within its deadline. Each statement is atomic. */
export class Database {
  /**
   * SQL for the current time of the database. It is volatile on PostgreSQL, so no index serves a comparison with it.
   */
  readonly now: Sql;
  /**
   * SQL for the time at which the statement began. Use it to search by time, never to decide which caller was first: a
   * statement that waits for a lock began before the statement that held the lock.
   */
  readonly statementStart: Sql;
  /** Whether each statement blocks the whole process while it runs. */
  readonly dialect: Dialect;
  readonly isBlocking: boolean;
  /**
   * Finds out why a table or column of a statement does not exist, and rejects with an error that explains it.
   * `undefined` if no explanation is possible.
   */
  explain: (() => Promise<void>) | undefined;
  /**
   * Maximum milliseconds between two attempts to run a statement. A locked SQLite file has no queue: the file is free
   * for a moment between two writes of another process, which a process that tries seldom would always miss.
   */
  private readonly maxPause: number;
  private readonly connections: Connections;
  private readonly placeholder: (index: number) => string;
  private explaining: Promise<void> | undefined;

  constructor(
    private readonly executor: SqlExecutor,
    private readonly deadline: Deadline,
    private readonly batching = true,
  ) {
    const { dialect, connections } = executor;
    this.dialect = dialect;
    this.isBlocking = dialect === 'sqlite';
    this.maxPause = this.isBlocking ? 16 : 256;
    this.connections = connections;
    this.now = rawSql(NOW[dialect]);
    this.statementStart = rawSql(NOW[dialect].replace('clock_timestamp', 'statement_timestamp'));
    this.placeholder = dialect === 'postgresql' ? (index) => `$${index}` : () => '?';
  }

  /** Returns the escaped name of a table. */
  table(name: string): Identifier {
    return this.executor.table(name);
  }

  /** Runs work within the deadline of the store. */
  within<T>(work: () => Promise<T>): Promise<T> {
    return this.deadline.within(work);
  }

  /**
   * Returns a function that runs a call. If batching is on, concurrent calls share statements. SQLite runs one statement
   * at a time in this process, so that batches would gain nothing.
   */
  batched<Given, Returned>(statements: Statements<Given, Returned>): (given: Given) => Promise<Returned> {
    if (this.isBlocking || !this.batching) return statements.runOne;
    const batches = new Batches(statements, this.deadline);
    return (given) => batches.run(given);
  }

  /** Whether all tables and columns of a query exist. */
  async isValid(query: Sql): Promise<boolean> {
    const compiled = this.compile(query);
    try {
      await this.deadline.within((operation) => this.connections.run(compiled, operation, false));
      return true;
    } catch (error) {
      if (isMissingTableOrColumn(error)) return false;
      throw error;
    }
  }

  /** The deadline of each statement, in seconds. */
  get seconds(): number {
    return this.deadline.seconds;
  }

  /** Returns the rows that a query finds. */
  async find<Row>(query: Sql): Promise<Row[]> {
    const { records } = await this.run(query, false);
    return records as Row[];
  }

  /** Runs a statement. Returns how many rows it changed. */
  async change(statement: Sql): Promise<number> {
    const { affected } = await this.run(statement, true);
    return affected ?? 0;
  }

  /** Inserts a row with an `INSERT` statement. Returns `false` if a row with this primary key exists. */
  async add(statement: Sql): Promise<boolean> {
    try {
      // PostgreSQL would log an error for each row that exists. `INSERT IGNORE` of MariaDB also ignores other errors.
      return (await this.change(this.dialect === 'mysql' ? statement : sql`${statement} ON CONFLICT DO NOTHING`)) > 0;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /**
   * Runs all statements in one transaction, within the deadline of the store. If the first statement changes nothing,
   * the others are not run.
   * @returns whether the first statement changed anything
   */
  async runAtomically(statements: readonly Sql[]): Promise<boolean> {
    const compiled = statements.map((statement) => this.compile(statement));
    return (await this.attempt((operation) => this.connections.runAtomically(compiled, operation))) !== undefined;
  }

  /**
   * Runs a statement and then a query in one transaction, within the deadline of the store.
   * @returns the records of the query, or `undefined` if the statement changed nothing
   */
  async changeAndFind<Row>(statement: Sql, query: Sql): Promise<Row[] | undefined> {
    const [change, find] = [this.compile(statement), this.compile(query)];
    const records = await this.attempt((operation) => this.connections.runAtomically([change], operation, find));
    return records as Row[] | undefined;
  }

  /** Explains a missing table or column. Concurrent failures share one explanation. */
  private explained(): Promise<void> | undefined {
    this.explaining ??= this.explain?.().finally(() => (this.explaining = undefined));
    return this.explaining;
  }

  private run(statement: Sql, isWrite: boolean): Promise<Result> {
    const compiled = this.compile(statement);
    return this.attempt((operation) => this.connections.run(compiled, operation, isWrite));
  }

  private compile(statement: Sql): Statement {
    return statement.compile(this.placeholder);
  }

  /**
   * Runs statements within the deadline. If they conflict with another statement, runs them again until the deadline.
   */
  private attempt<T>(work: (operation: TimedOperation) => Promise<T>): Promise<T> {
    return this.deadline.within(async (operation) => {
      for (let pause = 8; ; pause = Math.min(pause * 2, this.maxPause)) {
        try {
          return await work(operation);
        } catch (error) {
          if (isMissingTableOrColumn(error)) await this.explained();
          if (operation.isTimedOut || !isRetryable(error)) throw error;
          operation.reason = `${String(error)}, on every attempt`;
        }
        await setTimeout(Math.random() * pause);
        // The pause may have passed before the process reads other events, and an attempt of SQLite blocks the process.
        await setImmediate();
        if (operation.isTimedOut) throw new Error(operation.reason);
      }
    });
  }
}
