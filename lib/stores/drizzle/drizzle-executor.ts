import type { SQL } from 'drizzle-orm';

import { InvalidArgumentError } from '../../errors/index.js';
import type { Connections } from '../sql/connections.js';
import type { SqlExecutor } from '../sql/database.js';
import { type Dialect, escapeName } from '../sql/dialect.js';
import {
  LibraryConnections,
  LibrarySqliteConnections,
  type RunStatement,
  type SqlLibrary,
} from '../sql/library-connections.js';
import { type EmittingPool, handlePoolErrors } from '../sql/pool-errors.js';
import { Identifier } from '../sql/sql.js';
import { unwrapped } from './driver-error.js';
import { querySql } from './query-sql.js';
import { type DrizzleServerDatabase, serverLibrary } from './server-library.js';
import { SynchronousConnections } from './synchronous-connections.js';

/** A database of Drizzle on SQLite, synchronous or asynchronous. */
export interface DrizzleSqliteDatabase {
  run(query: SQL): unknown;
  all(query: SQL): unknown;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- accepts the transactions of every driver
  transaction(work: (transaction: any) => any): any;
}

/** A database as the function `drizzle()` of a driver returns it. */
export type DrizzleDatabase = DrizzleServerDatabase | DrizzleSqliteDatabase;

/** The symbol under which a class of Drizzle has its name. */
const KIND = Symbol.for('drizzle:entityKind');

/** The SQL dialects of Drizzle databases, by the name of the base class. */
const DIALECTS: Readonly<Record<string, Dialect>> = {
  PgDatabase: 'postgresql',
  MySqlDatabase: 'mysql',
  BaseSQLiteDatabase: 'sqlite',
};

/** Runs the statements of a store through Drizzle. */
export class DrizzleExecutor implements SqlExecutor {
  readonly dialect: Dialect;
  readonly connections: Connections;

  /**
   * @throws {InvalidArgumentError} If `db` is not a database of Drizzle for a supported dialect, or uses a single
   * connection to a server.
   */
  constructor(db: DrizzleDatabase) {
    this.dialect = dialectOf(db);
    const { $client } = db as { $client?: Partial<EmittingPool> };
    if (this.dialect === 'postgresql' && $client?.on) handlePoolErrors($client as EmittingPool);
    if (this.dialect !== 'sqlite') {
      this.connections = new LibraryConnections(serverLibrary(db as DrizzleServerDatabase));
    } else if ((db as { resultKind?: unknown }).resultKind === 'sync') {
      this.connections = new SynchronousConnections(db as DrizzleSqliteDatabase, querySql);
    } else {
      this.connections = new LibrarySqliteConnections(sqliteLibrary(db as DrizzleSqliteDatabase), db);
    }
  }

  table(name: string): Identifier {
    return new Identifier(() => escapeName(this.dialect, name));
  }
}

function dialectOf(db: object): Dialect {
  for (let type: unknown = db?.constructor; typeof type === 'function'; type = Object.getPrototypeOf(type)) {
    const dialect = DIALECTS[String((type as unknown as Record<symbol, unknown>)[KIND])];
    if (dialect) return dialect;
  }
  if ((db as { $primary?: unknown } | undefined)?.$primary) throw new InvalidArgumentError(REPLICAS);
  throw new InvalidArgumentError(
    'Invalid argument: `db` must be a Drizzle database for PostgreSQL, MySQL, MariaDB or SQLite, as `drizzle()` returns it',
  );
}

const REPLICAS =
  'Invalid argument: `db` has replicas, which may still return a token after it was revoked. Pass the database that ' +
  '`withReplicas()` was called with: `new DrizzleStore(db.$primary, …)`';

function sqliteLibrary(db: DrizzleSqliteDatabase): SqlLibrary {
  const runOn =
    (target: DrizzleSqliteDatabase): RunStatement =>
    async (statement, isWrite) => {
      const query = querySql(statement);
      if (!isWrite) return { records: (await unwrapped(async () => target.all(query))) as unknown[] };
      const { rowsAffected, changes } = (await unwrapped(async () => target.run(query))) as Record<string, number>;
      return { records: [], affected: rowsAffected ?? changes };
    };
  return {
    withConnection: (work) => work(runOn(db)),
    transaction: (work) =>
      unwrapped(() => db.transaction((transaction: DrizzleSqliteDatabase) => work(runOn(transaction)))),
  };
}
