import type { Dialect } from '../sql/dialect.js';

/** An error of a database as a driver adapter of Prisma describes it. */
interface AdapterError {
  kind: string;
  /** The error code of the database or of the driver, as text. */
  originalCode?: string;
  originalMessage?: string;
  /** The SQLSTATE, for errors of MariaDB and MySQL that have no kind of their own. */
  state?: string;
}

/** The parts of Prisma's errors that contain the error of the adapter: requests wrap it, `COMMIT` does not. */
interface PrismaError {
  message?: string;
  code?: unknown;
  meta?: { driverAdapterError?: { cause?: AdapterError } };
  cause?: AdapterError;
}

/** Runs work. Rejects with an error that has the message and the code of the driver instead of those of Prisma. */
export async function unwrapped<T>(dialect: Dialect, work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw driverError(dialect, error);
  }
}

function driverError(dialect: Dialect, error: unknown): unknown {
  const { message, code, meta, cause } = (error ?? {}) as PrismaError;
  const found = meta?.driverAdapterError?.cause ?? cause;
  if (typeof found?.kind === 'string') {
    return Object.assign(new Error(found.originalMessage ?? message), { code: CODES[dialect](found) });
  }
  // Prisma rolled the transaction back, or could not begin it, because its time limit passed.
  return code === 'P2028' ? Object.assign(new Error(message), { code: 'ETIMEDOUT' }) : error;
}

/** Returns the code that the drivers of a database give to an error. */
const CODES: Readonly<Record<Dialect, (error: AdapterError) => string>> = {
  postgresql: ({ kind, originalCode }) => originalCode ?? SOCKET_CODES[kind] ?? kind,
  mysql({ kind, originalCode, state }) {
    const name = MYSQL_NAMES[Number(originalCode)];
    // The class 08 contains lost connections, for which the driver has error numbers of its own.
    if (name ?? state?.startsWith('08')) return name ?? state!;
    // A number of the driver has five digits, and must not look like an SQLSTATE, which comes from the server.
    return Number(originalCode) >= 10_000 ? `DRIVER_${originalCode}` : (originalCode ?? SOCKET_CODES[kind] ?? kind);
  },
  sqlite: ({ kind, originalCode }) => SQLITE_KINDS[kind] ?? SQLITE_NAMES[Number(originalCode) & 0xff] ?? kind,
};

/** The error codes of Node by the kinds of connection errors that have no code of the database. */
const SOCKET_CODES: Readonly<Record<string, string>> = {
  DatabaseNotReachable: 'ECONNREFUSED',
  ConnectionClosed: 'ECONNRESET',
  SocketTimeout: 'ETIMEDOUT',
};

/** The error codes of SQLite by kind. `SocketTimeout` means that the file is locked. */
const SQLITE_KINDS: Readonly<Record<string, string>> = {
  SocketTimeout: 'SQLITE_BUSY',
  UniqueConstraintViolation: 'SQLITE_CONSTRAINT_PRIMARYKEY',
};

/** The error codes of SQLite by the lowest byte of their number. */
const SQLITE_NAMES: Readonly<Record<number, string>> = { 10: 'SQLITE_IOERR', 13: 'SQLITE_FULL' };

/** The names of errors of MariaDB, of MySQL and of the driver `mariadb` by number. */
const MYSQL_NAMES: Readonly<Record<number, string>> = {
  1020: 'ER_CHECKREAD',
  1021: 'ER_DISK_FULL',
  1040: 'ER_CON_COUNT_ERROR',
  1041: 'ER_OUT_OF_RESOURCES',
  1047: 'ER_UNKNOWN_COM_ERROR',
  1053: 'ER_SERVER_SHUTDOWN',
  1054: 'ER_BAD_FIELD_ERROR',
  1062: 'ER_DUP_ENTRY',
  1077: 'ER_NORMAL_SHUTDOWN',
  1114: 'ER_RECORD_FILE_FULL',
  1129: 'ER_HOST_IS_BLOCKED',
  1135: 'ER_CANT_CREATE_THREAD',
  1146: 'ER_NO_SUCH_TABLE',
  1152: 'ER_ABORTING_CONNECTION',
  1158: 'ER_NET_READ_ERROR',
  1159: 'ER_NET_READ_INTERRUPTED',
  1160: 'ER_NET_ERROR_ON_WRITE',
  1161: 'ER_NET_WRITE_INTERRUPTED',
  1184: 'ER_NEW_ABORTING_CONNECTION',
  1203: 'ER_TOO_MANY_USER_CONNECTIONS',
  1205: 'ER_LOCK_WAIT_TIMEOUT',
  1213: 'ER_LOCK_DEADLOCK',
  1226: 'ER_USER_LIMIT_REACHED',
  1290: 'ER_OPTION_PREVENTS_STATEMENT',
  1317: 'ER_QUERY_INTERRUPTED',
  1792: 'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  1836: 'ER_READ_ONLY_MODE',
  1874: 'ER_INNODB_READ_ONLY',
  1927: 'ER_CONNECTION_KILLED',
  1969: 'ER_STATEMENT_TIMEOUT',
  3024: 'ER_QUERY_TIMEOUT',
  3032: 'ER_SERVER_OFFLINE_MODE',
  3100: 'ER_RUN_HOOK_ERROR',
  3101: 'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
  3169: 'ER_SESSION_WAS_KILLED',
  4031: 'ER_CLIENT_INTERACTION_TIMEOUT',
  45027: 'POOL_CLOSED',
  45028: 'ETIMEDOUT',
  45037: 'POOL_CLOSED',
};
