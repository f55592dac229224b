/**
 * Codes of errors after which a statement had no effect: a conflict with another statement (a deadlock, a serialization
 * failure, a locked file), or a connection that MySQL had closed because it was idle.
 */
const WITHOUT_EFFECT = [
  '40001',
  '40P01',
  'ER_LOCK_DEADLOCK',
  'ER_CHECKREAD',
  'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_BUSY_RECOVERY',
];
/**
 * Matches error messages of drivers that noticed that a connection of the pool was dead, before they sent the
 * statement.
 */
const UNSENT = /is not queryable|in closed state|Query runner already released/;
/** Error codes that mean that a row with the same primary key exists. */
const DUPLICATE_KEY = ['23505', 'ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_PRIMARYKEY'];
/** Error codes that mean that a table, column or schema does not exist. SQLite has no code for this, only a message. */
const MISSING = ['42P01', '42703', '3F000', 'ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR'];

/** Error codes of a server that allows only reads, for example because a failover made it a replica. */
const READ_ONLY = ['25006', 'ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE', 'ER_INNODB_READ_ONLY'];

/** Whether an error means that the database server allows only reads. */
export const isReadOnly = (error: unknown) => READ_ONLY.includes(codeOf(error));

/**
 * Whether PostgreSQL rejected a prepared statement because the type of a column has changed. The statement stays invalid
 * on its connection, and works on a new one.
 */
export function isStalePlan(error: unknown): boolean {
  const { routine, driverError } = (error ?? {}) as { routine?: unknown; driverError?: { routine?: unknown } };
  // The code means any unsupported feature, and the message is translated.
  return codeOf(error) === '0A000' && (driverError?.routine ?? routine) === 'RevalidateCachedQuery';
}

/** Whether an error means that the statement had no effect, so that it may be sent again. */
export const isRetryable = (error: unknown) =>
  WITHOUT_EFFECT.includes(codeOf(error)) || isStalePlan(error) || UNSENT.test(String(error));

/**
 * Matches error codes of database servers: the SQLSTATE of PostgreSQL, the names of MySQL and MariaDB, and their numbers
 * that have no name in the driver. The numbers from 2000 to 2999 are errors of clients.
 */
const SERVER_CODE = /^(?:(?:\d[\dA-Z]|F0|HV|P0|XX)[\dA-Z]{3}|ER_\w+|[13-9]\d{3})$/;

/** Whether a database server rejected a statement, so that the statement had no effect. */
export const isRejected = (error: unknown) => SERVER_CODE.test(codeOf(error));

/** Whether an error means that a row with the same primary key exists. */
export const isDuplicateKey = (error: unknown) => DUPLICATE_KEY.includes(codeOf(error));

/** Whether an error means that a table or column of the statement does not exist. */
export const isMissingTableOrColumn = (error: unknown) =>
  MISSING.includes(codeOf(error)) || /\bno such (table|column)\b|\bhas no column named\b/.test(String(error));

/** Whether a SQLite file is locked by another connection. */
export const isLocked = (error: unknown) => codeOf(error).startsWith('SQLITE_BUSY');

/** An error of a driver. */
interface DriverError {
  code?: unknown;
  /** The more precise code of libsql. */
  extendedCode?: unknown;
  /** The number of the error. For many errors of MariaDB, mysql2 has no `code`. */
  errno?: unknown;
}

/** Returns the error code of the driver. TypeORM wraps errors of drivers. */
function codeOf(error: unknown): string {
  const { code, extendedCode, errno, driverError } = (error ?? {}) as DriverError & { driverError?: DriverError };
  return String(driverError?.code ?? driverError?.errno ?? extendedCode ?? code ?? errno);
}
