import type { TimedOperation } from '../contract/deadline.js';
import type { Connections, Result, Statement } from './connections.js';
import { isLocked } from './statement-errors.js';
import { type WriteTurns, writeTurns } from './write-turns.js';

/** Runs one statement, outside of a transaction or in one. */
export type RunStatement = (statement: Statement, isWrite: boolean) => Promise<Result>;

/** A database library that runs raw SQL, such as Drizzle or Prisma. */
export interface SqlLibrary {
  /** Runs work outside of a transaction. A library that can do it takes a connection first, and passes it to the work. */
  withConnection<T>(work: (run: RunStatement) => Promise<T>): Promise<T>;
  /**
   * Runs work in a transaction. Commits if the work is fulfilled, and rolls back if it rejects.
   * @param operation the operation of the store, whose deadline also limits the transaction
   */
  transaction<T>(work: (run: RunStatement) => Promise<T>, operation: TimedOperation): Promise<T>;
}

const NONE_FREE = 'no connection was free: the network does not respond, or the pool is too small';
const NO_RESPONSE = 'the statement was sent, but there was no response, or no connection was free';

/** Runs the statements of a store through a database library. After the deadline, no statement is sent. */
export class LibraryConnections implements Connections {
  constructor(private readonly library: SqlLibrary) {}

  async run(statement: Statement, operation: TimedOperation, isWrite: boolean): Promise<Result> {
    operation.reason = NONE_FREE;
    return this.library.withConnection((run) => this.timed(run, operation)(statement, isWrite));
  }

  async runAtomically(
    [first, ...others]: readonly Statement[],
    operation: TimedOperation,
    query?: Statement,
  ): Promise<unknown[] | undefined> {
    return this.inTransaction(operation, async (run) => {
      if (!(await run(first!, true)).affected) return undefined;
      for (const statement of others) await run(statement, true);
      return query ? (await run(query, false)).records : [];
    });
  }

  /** Runs work in a transaction. Its statements are rejected after the deadline, so that the library rolls back. */
  protected inTransaction<T>(operation: TimedOperation, work: (run: RunStatement) => Promise<T>): Promise<T> {
    operation.reason = NONE_FREE;
    const timed = async (run: RunStatement) => {
      const done = await work(this.timed(run, operation));
      // A transaction that ends after the deadline must not be committed: the client may have sent its request again.
      if (operation.isTimedOut) throw new Error(operation.reason);
      return done;
    };
    return this.library.transaction(timed, operation);
  }

  private timed(run: RunStatement, operation: TimedOperation): RunStatement {
    return async (statement, isWrite) => {
      if (operation.isTimedOut) throw new Error(operation.reason);
      operation.reason = NO_RESPONSE;
      return run(statement, isWrite);
    };
  }
}

/**
 * Runs the statements of a store on SQLite through an asynchronous library, such as the client of libsql. Each write is
 * a transaction, and the writes of a process take turns, because SQLite allows one at a time.
 */
export class LibrarySqliteConnections extends LibraryConnections {
  private readonly turns: WriteTurns;

  /** @param client the object of the library, which several stores may share */
  constructor(library: SqlLibrary, client: object) {
    super(library);
    this.turns = writeTurns(client);
  }

  override async run(statement: Statement, operation: TimedOperation, isWrite: boolean): Promise<Result> {
    if (isWrite) return this.inTransaction(operation, (run) => run(statement, true));
    // libsql leaves a statement open that finds the file locked. Until it is closed, queries on the same connection read
    // old data. A transaction makes libsql open another connection.
    while (this.turns.hasOpenStatement) await this.inTransaction(operation, async () => undefined);
    try {
      return await super.run(statement, operation, false);
    } catch (error) {
      this.turns.hasOpenStatement ||= isLocked(error);
      throw error;
    }
  }

  protected override async inTransaction<T>(
    operation: TimedOperation,
    work: (run: RunStatement) => Promise<T>,
  ): Promise<T> {
    const done = await this.turns.next();
    try {
      if (operation.isTimedOut) throw new Error(operation.reason);
      const result = super.inTransaction(operation, work);
      operation.reason = 'another process has locked the database file';
      await result;
      this.turns.hasOpenStatement = false;
      return result;
    } catch (error) {
      this.turns.hasOpenStatement ||= isLocked(error);
      throw error;
    } finally {
      done();
    }
  }
}
