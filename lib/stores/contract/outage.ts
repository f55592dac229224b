const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Error codes of Node, PostgreSQL, MySQL, MariaDB and SQLite for a database that cannot serve the request now. */
const CODES = words(`
  ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EAI_AGAIN ENOTFOUND
  25006 25P03 25P04 40001 40003 40P01 55P03 57014 57P01 57P02 57P03 57P04 57P05
  PROTOCOL_CONNECTION_LOST PROTOCOL_SEQUENCE_TIMEOUT POOL_CLOSED
  ER_CON_COUNT_ERROR ER_TOO_MANY_USER_CONNECTIONS ER_USER_LIMIT_REACHED ER_OUT_OF_RESOURCES ER_CANT_CREATE_THREAD
  ER_SERVER_SHUTDOWN ER_NORMAL_SHUTDOWN ER_CONNECTION_KILLED ER_ABORTING_CONNECTION ER_NEW_ABORTING_CONNECTION
  ER_UNKNOWN_COM_ERROR ER_OPTION_PREVENTS_STATEMENT ER_READ_ONLY_MODE ER_DISK_FULL ER_RECORD_FILE_FULL
  ER_INNODB_READ_ONLY ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION ER_SERVER_OFFLINE_MODE ER_HOST_IS_BLOCKED
  ER_SESSION_WAS_KILLED ER_CLIENT_INTERACTION_TIMEOUT ER_RUN_HOOK_ERROR ER_TRANSACTION_ROLLBACK_DURING_COMMIT
  ER_NET_READ_ERROR ER_NET_READ_INTERRUPTED ER_NET_ERROR_ON_WRITE ER_NET_WRITE_INTERRUPTED ER_CHECKREAD
  ER_LOCK_WAIT_TIMEOUT ER_LOCK_DEADLOCK ER_QUERY_INTERRUPTED ER_QUERY_TIMEOUT ER_STATEMENT_TIMEOUT
  SQLITE_FULL
`);
/**
 * PostgreSQL error classes: 08 connection exceptions (PgBouncer uses it too), 53 insufficient resources, 58 system
 * errors.
 */
const CLASSES = /^(08|53|58)[\dA-Z]{3}$/;
/** MariaDB error numbers that mysql2 has no name for: a killed connection, an exceeded `max_statement_time`. */
const NUMBERS = new Set([1927, 1969]);
/**
 * MongoDB error codes: the server is not the primary, shuts down, exceeded a time limit, waited too long for the
 * majority, or its disk is full.
 */
const MONGODB = new Set([
  6, 7, 50, 64, 89, 91, 100, 133, 134, 189, 202, 262, 317, 358, 9001, 10107, 11600, 11602, 13388, 13435, 13436, 14031,
]);
/** Class names of errors with a code of MongoDB. */
const MONGODB_ERROR = /^Mongo|^WriteConcernError$/;
/** SQLite has several error codes for disk failures. */
const DISK = /^SQLITE_IOERR/;

/** Class names of errors of ioredis, node-redis, the MongoDB driver and Mongoose. */
const NAMES = words(`
  MaxRetriesPerRequestError ClusterAllFailedError
  SocketClosedUnexpectedlyError SocketTimeoutError ConnectionTimeoutError DisconnectsClientError TimeoutError
  SocketTimeoutDuringMaintenanceError CommandTimeoutDuringMaintenanceError MaxCommandRedirectionsError
  ReconnectStrategyError RootNodesUnavailableError ClientOfflineError ClientClosedError
  MongoNetworkError MongoNetworkTimeoutError MongoServerSelectionError MongooseServerSelectionError
  MongoOperationTimeoutError MongoTopologyClosedError MongoClientClosedError MongoNotConnectedError
  MongoServerClosedError MongoStalePrimaryError PoolClosedError PoolClearedError PoolClearedOnNetworkError
  WaitQueueTimeoutError
`);

/** Beginnings of error messages, for drivers that set neither a code nor a class. */
const TEXTS = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Cannot use a pool after calling end on the pool',
  'Pool is closed.',
  'No connections available.',
  'Queue limit reached.',
  "Can't add new command when connection is in closed state",
  'Connection is closed',
  'Command timed out',
  "Stream isn't writeable",
  'Socket timeout',
  'Too many Cluster redirections',
  'Cluster is ended',
  "Cluster isn't ready",
  'None of startup nodes is available',
  'ERR max number of clients ',
];

/** Redis error codes. Before Redis 7, an error inside a script has its code at the end of another message. */
const REDIS = /(?:^|: -)(OOM|MISCONF|BUSY|UNKILLABLE|LOADING|CLUSTERDOWN|MASTERDOWN|READONLY|NOREPLICAS|TRYAGAIN) /;
/** Redis error codes that persist until an operator acts. */
const PERSISTENT = /(?:^|: -)(OOM|MISCONF|BUSY|UNKILLABLE) /;

/** Whether an error means that the database is unavailable, rather than that the statement is wrong. */
export function isOutage(error: unknown): boolean {
  // `instanceof` fails for errors of another realm, as in Jest.
  if (typeof error !== 'object' || error === null) return false;
  const { code, errno, driverError, errorResponse, message, constructor } = error as Partial<Error> & {
    code?: unknown;
    errno?: number;
    driverError?: unknown;
    errorResponse?: unknown;
  };
  if (driverError) return isOutage(driverError);
  // A bulk write of MongoDB wraps the error of the network, or has the error code of a write concern.
  if (constructor?.name === 'MongoBulkWriteError' && isOutage(errorResponse)) return true;
  if (NUMBERS.has(errno!)) return true;
  if (typeof code === 'number' && MONGODB_ERROR.test(constructor?.name ?? '') && MONGODB.has(code)) return true;
  const text = String(code);
  if (CODES.has(text) || CLASSES.test(text) || DISK.test(text) || NAMES.has(constructor?.name)) return true;
  return REDIS.test(String(message)) || TEXTS.some((start) => message?.startsWith(start));
}

/**
 * Whether an error means that a Redis server rejects commands until an operator acts, so that it is useless to send the
 * command again.
 */
export const isPersistentOutage = (error: unknown) =>
  PERSISTENT.test(String((error as Partial<Error> | undefined)?.message));
