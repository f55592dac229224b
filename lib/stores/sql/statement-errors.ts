/**
 * Errors of statements without effect: after a conflict with another statement (a deadlock, a serialization failure, a
 * locked file), or on an idle connection that MySQL had closed.
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
/** Messages of dead connections in a pool: the driver noticed it before it sent the statement. */
const UNSENT = /is not queryable|in closed state|Query runner already released/;
/** Errors of duplicate primary keys. */
const DUPLICATE_KEY = ['23505', 'ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_PRIMARYKEY'];
/** Errors of tables, columns or schemas that do not exist. SQLite has no code for this, only a message. */
const MISSING = ['42P01', '42703', '3F000', 'ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR'];

/** Errors of a server that allows only reads, for example because a failover made it a replica. */
const READ_ONLY = ['25006', 'ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE', 'ER_INNODB_READ_ONLY'];

/** Whether the server of the connection allows only reads. */
export const isReadOnly = (error: unknown) => READ_ONLY.includes(codeOf(error));

/** Whether the statement had no effect and may be sent again. */
export const isRetryable = (error: unknown) => WITHOUT_EFFECT.includes(codeOf(error)) || UNSENT.test(String(error));

/** Whether a row with the same primary key exists. */
export const isDuplicateKey = (error: unknown) => DUPLICATE_KEY.includes(codeOf(error));

/** Whether a table or column of the statement does not exist. */
export const isMissingTableOrColumn = (error: unknown) =>
  MISSING.includes(codeOf(error)) || /\bno such (table|column)\b/.test(String(error));

function codeOf(error: unknown): string {
  const { code, driverError } = (error ?? {}) as { code?: unknown; driverError?: { code?: unknown } };
  return String(driverError?.code ?? code);
}
