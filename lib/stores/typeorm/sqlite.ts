import { setTimeout } from 'node:timers/promises';

import type { DataSource } from 'typeorm';

import type { TimedOperation } from '../contract/deadline.js';
import type { Connections, Result, Statement } from '../sql/connections.js';

/** A connection of better-sqlite3 or libsql. All of its methods block the process. */
interface SqliteConnection {
  inTransaction: boolean;
  exec(text: string): unknown;
  prepare(text: string): SqliteStatement;
}

interface SqliteStatement {
  reader: boolean;
  all(...values: unknown[]): Record<string, unknown>[];
  run(...values: unknown[]): { changes: number };
}

/** Maximum number of prepared statements that are kept. */
const PREPARED = 100;

/** Runs statements on the single SQLite connection of a DataSource, which the application uses too. */
export class SingleConnection implements Connections {
  private connection?: SqliteConnection;
  /** Milliseconds for which the application's own statements wait for a locked file. */
  private busyTimeout = 0;
  private isDurable = false;
  private readonly prepared = new Map<string, SqliteStatement>();
  /**
   * A query that found the file locked, to run again: libsql leaves its statement open, which locks the file for
   * others.
   */
  private unfinished: (() => unknown) | undefined;

  constructor(private readonly source: DataSource) {}

  async run({ text, values }: Statement, operation: TimedOperation, isWrite: boolean): Promise<Result> {
    const connection = await this.ready([{ text, values }], operation, isWrite);
    return this.execute(connection, () => {
      const statement = this.prepare(connection, text);
      if (isWrite) return this.transaction(connection, () => write(statement, values));
      return { records: this.read(statement, values) };
    });
  }

  async runAtomically(
    statements: readonly Statement[],
    operation: TimedOperation,
    query?: Statement,
  ): Promise<unknown[] | undefined> {
    const connection = await this.ready(query ? [...statements, query] : statements, operation, true);
    return this.execute(connection, () => {
      const [first, ...others] = statements.map(({ text, values }) => {
        const statement = this.prepare(connection, text);
        return () => write(statement, values);
      });
      return this.transaction(connection, () => {
        if (!first!().affected) return undefined;
        for (const other of others) other();
        return query ? this.read(this.prepare(connection, query.text), query.values) : [];
      });
    });
  }

  /** Returns the connection when no other transaction uses it. */
  private async ready(
    statements: readonly Statement[],
    operation: TimedOperation,
    isWrite: boolean,
  ): Promise<SqliteConnection> {
    const runner = this.source.createQueryRunner();
    const connection = (await runner.connect()) as SqliteConnection;
    if (isWrite) await waitUntilFree(() => connection.inTransaction || runner.isTransactionActive, operation);
    operation.reason = 'another process has locked the database file';
    if (this.connection !== connection) this.open(connection);
    for (const { text, values } of statements) this.source.logger.logQuery(text, values, runner);
    return connection;
  }

  private open(connection: SqliteConnection): void {
    this.busyTimeout = Number(pragma(connection, 'busy_timeout')) || 0;
    this.isDurable = false;
    this.prepared.clear();
    this.unfinished = undefined;
    this.connection = connection;
  }

  /** Runs work synchronously and without waiting for a locked file, which would block the whole process. */
  private execute<T>(connection: SqliteConnection, work: () => T): T {
    connection.exec('PRAGMA busy_timeout = 0');
    try {
      if (this.unfinished) this.finish(connection, this.unfinished);
      return work();
    } finally {
      connection.exec(`PRAGMA busy_timeout = ${this.busyTimeout}`);
    }
  }

  /**
   * Runs work in a transaction that locks the file first. libsql leaves a statement open that finds the file locked,
   * and as long as it is open, no later write is committed.
   */
  private transaction<T>(connection: SqliteConnection, work: () => T): T {
    if (!this.isDurable) this.makeDurable(connection);
    connection.exec('BEGIN IMMEDIATE');
    try {
      const done = work();
      connection.exec('COMMIT');
      return done;
    } catch (error) {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** Makes commits durable. With a write-ahead log, a power failure could otherwise make a used code valid again. */
  private makeDurable(connection: SqliteConnection): void {
    if (pragma(connection, 'synchronous') !== EXTRA) connection.exec('PRAGMA synchronous = FULL');
    this.isDurable = true;
  }

  private read(statement: SqliteStatement, values: unknown[]): unknown[] {
    try {
      return statement.all(...values);
    } catch (error) {
      if (isLocked(error)) this.unfinished = () => this.read(statement, values);
      throw error;
    }
  }

  private finish(connection: SqliteConnection, unfinished: () => unknown): void {
    connection.exec('SELECT 1 FROM sqlite_master LIMIT 1');
    this.unfinished = undefined;
    unfinished();
  }

  private prepare(connection: SqliteConnection, text: string): SqliteStatement {
    let statement = this.prepared.get(text);
    if (!statement) {
      this.prepared.set(text, (statement = connection.prepare(text)));
      if (this.prepared.size > PREPARED) this.prepared.delete(this.prepared.keys().next().value!);
    }
    return statement;
  }
}

/**
 * Waits until the application's own transaction ends. Otherwise the store's writes would be part of it, and a rollback
 * would make a used code valid again.
 */
async function waitUntilFree(isTaken: () => boolean, operation: TimedOperation): Promise<void> {
  while (isTaken()) {
    operation.reason =
      'the DataSource is in a transaction. On SQLite, the store cannot save anything during a transaction of the application';
    await setTimeout(1);
    if (operation.isTimedOut) throw new Error(operation.reason);
  }
}

/** The value of `PRAGMA synchronous` that is stricter than FULL. */
const EXTRA = 3;
const pragma = (connection: SqliteConnection, name: string) =>
  Object.values(connection.prepare(`PRAGMA ${name}`).all()[0] ?? {})[0];

const isLocked = (error: unknown) => String((error as { code?: unknown } | undefined)?.code).startsWith('SQLITE_BUSY');

function write(statement: SqliteStatement, values: unknown[]): Result {
  const records = statement.reader ? statement.all(...values) : [];
  return { records, affected: statement.reader ? records.length : statement.run(...values).changes };
}
