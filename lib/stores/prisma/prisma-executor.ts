import { InvalidArgumentError } from '../../errors/index.js';
import type { TimedOperation } from '../contract/deadline.js';
import type { Connections, Result, Statement } from '../sql/connections.js';
import type { SqlExecutor } from '../sql/database.js';
import { type Dialect, escapeName } from '../sql/dialect.js';
import {
  LibraryConnections,
  LibrarySqliteConnections,
  type RunStatement,
  type SqlLibrary,
} from '../sql/library-connections.js';
import { Identifier } from '../sql/sql.js';
import { unwrapped } from './driver-error.js';

/** A client or a transaction of Prisma that runs raw SQL. */
interface PrismaStatements {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- accepts the values of every generated client
  $queryRawUnsafe(query: string, ...values: any[]): PromiseLike<unknown>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- accepts the values of every generated client
  $executeRawUnsafe(query: string, ...values: any[]): PromiseLike<number>;
}

/** A `PrismaClient` that `prisma generate` created, or an extension of it that `$extends()` returned. */
export interface PrismaDatabase extends PrismaStatements {
  $transaction<T>(
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- accepts the transactions of every generated client
    work: (transaction: any) => Promise<T>,
    options?: { maxWait?: number; timeout?: number },
  ): Promise<T>;
}

/** The dialect by the `provider` of the data source in the schema of Prisma. */
const DIALECTS: Readonly<Record<string, Dialect>> = {
  postgresql: 'postgresql',
  postgres: 'postgresql',
  mysql: 'mysql',
  sqlite: 'sqlite',
};

/** Runs the statements of a store through Prisma. */
export class PrismaExecutor implements SqlExecutor {
  readonly dialect: Dialect;
  readonly connections: Connections;

  /**
   * @param seconds the deadline of the store, which limits each transaction
   * @throws {InvalidArgumentError} If `prisma` is not a client of Prisma 7 for a supported database.
   */
  constructor(prisma: PrismaDatabase, seconds: number) {
    this.dialect = dialectOf(prisma);
    const library = libraryOf(prisma, this.dialect, seconds * 1000);
    this.connections =
      this.dialect === 'sqlite' ? new LibrarySqliteConnections(library, prisma) : new PrismaConnections(library);
  }

  table(name: string): Identifier {
    return new Identifier(() => escapeName(this.dialect, name));
  }
}

/**
 * Runs the statements of a store on a database server through Prisma. Each write is a transaction: Prisma cannot take a
 * connection for a single statement, which could wait in the driver's pool and be executed after the deadline.
 */
class PrismaConnections extends LibraryConnections {
  override async run(statement: Statement, operation: TimedOperation, isWrite: boolean): Promise<Result> {
    if (SELECT.test(statement.text)) return super.run(statement, operation, isWrite);
    return this.inTransaction(operation, (run) => run(statement, isWrite));
  }
}

/** Matches a query. Any other statement that returns records is a write with `RETURNING`. */
const SELECT = /^\s*SELECT\b/;

/** Returns the dialect of a client. Prisma has no public property for its provider. */
function dialectOf(prisma: PrismaDatabase): Dialect {
  const { _activeProvider: provider } = (prisma ?? {}) as { _activeProvider?: unknown };
  const dialect = Object.hasOwn(DIALECTS, String(provider)) ? DIALECTS[String(provider)] : undefined;
  if (dialect && typeof prisma.$transaction === 'function') return dialect;
  const found = typeof provider === 'string' ? `. Got the provider \`${provider}\`` : '';
  throw new InvalidArgumentError(
    'Invalid argument: `prisma` must be a `PrismaClient` of Prisma 7 whose provider is `postgresql`, `mysql` or ' +
      `\`sqlite\`${found}`,
  );
}

function libraryOf(prisma: PrismaDatabase, dialect: Dialect, milliseconds: number): SqlLibrary {
  const runOn =
    (target: PrismaStatements): RunStatement =>
    ({ text, values }, isWrite) =>
      unwrapped(dialect, async () =>
        isWrite
          ? { records: [], affected: await target.$executeRawUnsafe(text, ...values) }
          : { records: (await target.$queryRawUnsafe(text, ...values)) as unknown[] },
      );
  const limits = { maxWait: milliseconds, timeout: milliseconds };
  return {
    withConnection: (work) => work(runOn(prisma)),
    transaction: (work) =>
      unwrapped(dialect, () =>
        prisma.$transaction((transaction: PrismaStatements) => work(runOn(transaction)), limits),
      ),
  };
}
