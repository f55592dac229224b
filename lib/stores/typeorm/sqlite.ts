import { setTimeout } from 'node:timers/promises';

import type { DataSource } from 'typeorm';

import type { TimedOperation } from '../deadline.js';
import type { Connections, Result, Statement } from './connections.js';

/** A connection of better-sqlite3 or libsql, all of whose methods block the process. */
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

/** How many statements are kept prepared. */
const PREPARED = 100;

/** The one connection that a DataSource has on SQLite, which the host uses as well. */
export class SingleConnection implements Connections {
  private connection?: SqliteConnection;
  /** The milliseconds that the host's own statements wait for a locked file. */
  private busyTimeout = 0;
  private isDurable = false;
  private readonly prepared = new Map<string, SqliteStatement>();
  /** A search that found the file locked, to be done again: libsql leaves it open, and the file locked against others. */
  private unfinished: (() => unknown) | undefined;

  constructor(private readonly source: DataSource) {}

  async run({ text, values }: Statement, wait: TimedOperation, isWrite: boolean): Promise<Result> {
    const connection = await this.ready([{ text, values }], wait, isWrite);
    return this.execute(connection, () => {
      const statement = this.prepare(connection, text);
      if (isWrite) return this.transaction(connection, () => write(statement, values));
      return { records: this.read(statement, values) };
    });
  }

  async runAtomically(statements: readonly Statement[], wait: TimedOperation): Promise<boolean> {
    const connection = await this.ready(statements, wait, true);
    return this.execute(connection, () => {
      const [first, ...others] = statements.map(({ text, values }) => {
        const statement = this.prepare(connection, text);
        return () => write(statement, values);
      });
      return this.transaction(connection, () => {
        if (!first!().affected) return false;
        for (const other of others) other();
        return true;
      });
    });
  }

  /** The connection, when it is free. */
  private async ready(
    statements: readonly Statement[],
    wait: TimedOperation,
    isWrite: boolean,
  ): Promise<SqliteConnection> {
    const runner = this.source.createQueryRunner();
    const connection = (await runner.connect()) as SqliteConnection;
    if (isWrite) await turn(() => connection.inTransaction || runner.isTransactionActive, wait);
    wait.reason = 'the file of the database is locked by others';
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

  /** In one go, so that nobody else is touched: to wait for a locked file would stop the whole process. */
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
   * The lock comes first: a statement that finds the file locked is left open by libsql, and as long as it is, nothing that
   * is written later is committed.
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

  /** With a write-ahead log it would not be: after a power failure, what was spent could be spent again. */
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
 * While the host has a transaction open, whatever is written becomes part of that: a code would be unspent again when it
 * is rolled back.
 */
async function turn(isTaken: () => boolean, wait: TimedOperation): Promise<void> {
  while (isTaken()) {
    wait.reason = 'the DataSource is in a transaction: on SQLite, nothing can be saved beside it';
    await setTimeout(1);
    if (wait.isTimedOut) throw new Error(wait.reason);
  }
}

/** More than FULL. */
const EXTRA = 3;
const pragma = (connection: SqliteConnection, name: string) =>
  Object.values(connection.prepare(`PRAGMA ${name}`).all()[0] ?? {})[0];

const isLocked = (error: unknown) => String((error as { code?: unknown } | undefined)?.code).startsWith('SQLITE_BUSY');

function write(statement: SqliteStatement, values: unknown[]): Result {
  const records = statement.reader ? statement.all(...values) : [];
  return { records, affected: statement.reader ? records.length : statement.run(...values).changes };
}
