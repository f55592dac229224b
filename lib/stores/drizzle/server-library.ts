import type { SQL } from 'drizzle-orm';

import { InvalidArgumentError } from '../../errors/index.js';
import type { Result } from '../sql/connections.js';
import type { RunStatement, SqlLibrary } from '../sql/library-connections.js';
import { unwrapped } from './driver-error.js';
import { querySql } from './query-sql.js';

/** A database of Drizzle on PostgreSQL, MySQL or MariaDB. */
export interface DrizzleServerDatabase {
  execute(query: SQL): PromiseLike<unknown>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- accepts the transactions of every driver
  transaction(work: (transaction: any) => Promise<any>): Promise<any>;
}

/** A connection of a pool. */
interface PooledConnection {
  /** Returns the connection to the pool. A pool of `pg` closes it if there is an error. */
  release(error?: unknown): void;
}

/** The methods by which the pools of drivers lend a connection. */
interface Pool {
  /** `pg`, and drivers with the same interface. */
  connect?(): Promise<PooledConnection>;
  /** `mysql2`. */
  getConnection?(): Promise<PooledConnection>;
  /** `postgres` and Bun. */
  reserve?(): Promise<PooledConnection>;
  /** The number of callers that wait for a connection. Only a pool of `pg` has it, its `Client` does not. */
  waitingCount?: number;
  /** Only a single connection of `mysql2` has it. */
  beginTransaction?: unknown;
}

/** Returns the library that runs statements on a database server through Drizzle. */
export function serverLibrary(db: DrizzleServerDatabase): SqlLibrary {
  const { session } = db as { session?: { client?: Pool } };
  const connect = connectTo(session?.client);
  return {
    async withConnection(work) {
      if (!connect) return work(runOn(db));
      const connection = await connect();
      const run = runOn(onConnection(db, connection));
      let failure: unknown;
      try {
        return await work((statement, isWrite) =>
          run(statement, isWrite).catch((error: unknown) => {
            failure = error;
            throw error;
          }),
        );
      } finally {
        connection.release(failure);
      }
    },
    transaction: (work) =>
      unwrapped(() => db.transaction((transaction: DrizzleServerDatabase) => work(runOn(transaction)))),
  };
}

/**
 * Returns the function that takes a connection of a pool. `undefined` if the driver has no known pool, for example if it
 * sends each statement in an HTTP request.
 * @throws {InvalidArgumentError} If the driver has a single connection, on which the statements of the store would be
 * part of the application's transactions.
 */
function connectTo(client: Pool | undefined): (() => Promise<PooledConnection>) | undefined {
  if (client?.reserve) return () => client.reserve!();
  if (client?.getConnection) return () => client.getConnection!();
  if (client?.waitingCount !== undefined) return () => client.connect!();
  if (client?.connect || client?.beginTransaction) throw new InvalidArgumentError(SINGLE_CONNECTION);
  return undefined;
}

const SINGLE_CONNECTION =
  'Invalid argument: `db` uses a single connection. Pass a pool to `drizzle()`, such as `new Pool()` of `pg` or ' +
  '`createPool()` of `mysql2`. On one connection, a rollback of the application would make a used code valid again';

/** Returns a database that runs its statements on one connection, and logs them as the given database does. */
function onConnection(db: DrizzleServerDatabase, connection: PooledConnection): DrizzleServerDatabase {
  const { session } = db as unknown as { session: object };
  const own = Object.create(session, { client: { value: connection } }) as object;
  return Object.create(db, { session: { value: own } }) as DrizzleServerDatabase;
}

const runOn =
  (target: DrizzleServerDatabase): RunStatement =>
  async (statement) =>
    readResult(await unwrapped(() => target.execute(querySql(statement))));

/** Returns the records and the number of changed rows. The drivers of Drizzle return them in different ways. */
function readResult(result: unknown): Result {
  // mysql2: a list of the result and its fields.
  const [first] = Array.isArray(result) ? (result as unknown[]) : [];
  if (Array.isArray(first)) return { records: first };
  const { affectedRows } = (first ?? {}) as { affectedRows?: number };
  if (affectedRows !== undefined) return { records: [], affected: affectedRows };
  // postgres.js: a list of records with a count.
  if (Array.isArray(result)) return { records: result, affected: (result as { count?: number }).count };
  // pg and most others.
  const {
    rows = [],
    rowCount,
    affectedRows: changed,
  } = result as {
    rows?: unknown[];
    rowCount?: number | null;
    affectedRows?: number;
  };
  return { records: rows, affected: rowCount ?? changed };
}
