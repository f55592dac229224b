import type { SQL } from 'drizzle-orm';

import type { TimedOperation } from '../contract/deadline.js';
import type { Connections, Result, Statement } from '../sql/connections.js';
import { driverError, unwrapped } from './driver-error.js';

/** A database of Drizzle whose methods block the process, such as that of better-sqlite3. */
interface SynchronousDatabase {
  run(query: SQL): unknown;
  all(query: SQL): unknown;
  transaction(work: (transaction: SynchronousDatabase) => unknown, config?: object): unknown;
}

/** Runs statements on the single connection of a synchronous SQLite driver. Each write is a transaction. */
export class SynchronousConnections implements Connections {
  private isDurable = false;

  constructor(
    private readonly db: SynchronousDatabase,
    private readonly toSql: (statement: Statement) => SQL,
  ) {}

  async run(statement: Statement, operation: TimedOperation, isWrite: boolean): Promise<Result> {
    operation.reason = LOCKED;
    if (!isWrite) return { records: await unwrapped(async () => this.db.all(this.toSql(statement)) as unknown[]) };
    return { records: [], affected: this.transaction(() => this.write(statement)) };
  }

  async runAtomically(
    [first, ...others]: readonly Statement[],
    operation: TimedOperation,
    query?: Statement,
  ): Promise<unknown[] | undefined> {
    operation.reason = LOCKED;
    return this.transaction(() => {
      if (this.write(first!) === 0) return undefined;
      for (const statement of others) this.write(statement);
      return query ? (this.db.all(this.toSql(query)) as unknown[]) : [];
    });
  }

  private transaction<T>(work: () => T): T {
    // Makes commits durable. With a write-ahead log, a power failure could otherwise make a used code valid again.
    if (!this.isDurable) this.makeDurable();
    try {
      return this.db.transaction(work, { behavior: 'immediate' }) as T;
    } catch (error) {
      throw driverError(error);
    }
  }

  private makeDurable(): void {
    const [level] = this.db.all(this.toSql({ text: 'PRAGMA synchronous', values: [] })) as { synchronous: number }[];
    if (level!.synchronous < FULL) this.db.run(this.toSql({ text: 'PRAGMA synchronous = FULL', values: [] }));
    this.isDurable = true;
  }

  private write(statement: Statement): number {
    return (this.db.run(this.toSql(statement)) as { changes: number }).changes;
  }
}

/** The value of `PRAGMA synchronous` for FULL. */
const FULL = 2;
const LOCKED = 'another process has locked the database file';
