const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Connections that fail, servers that stop or start, and those that take no more: of node, PostgreSQL and MySQL. */
const CODES = words(`
  ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH EAI_AGAIN
  57P01 57P02 57P03 53300 08000 08001 08003 08004 08006
  PROTOCOL_CONNECTION_LOST ER_CON_COUNT_ERROR ER_SERVER_SHUTDOWN ER_CONNECTION_KILLED
`);

/** The same, of ioredis and node-redis, by the names of their classes. */
const NAMES = words(`
  MaxRetriesPerRequestError ClusterAllFailedError
  SocketClosedUnexpectedlyError SocketTimeoutError ConnectionTimeoutError DisconnectsClientError TimeoutError
  ReconnectStrategyError RootNodesUnavailableError ClientOfflineError ClientClosedError
`);

/** The same, where a driver has only a text for it. */
const TEXTS = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  "Can't add new command when connection is in closed state",
  'Connection is closed',
  'Command timed out',
  "Stream isn't writeable",
  'Socket timeout',
];

/** What a Redis says that cannot serve just now. */
const NOT_NOW = /^(LOADING|CLUSTERDOWN|MASTERDOWN|READONLY|NOREPLICAS|TRYAGAIN) /;

/** Is it the database that is out of reach, rather than a statement that is wrong? */
export function isOutage(error: unknown): boolean {
  // Not `instanceof`: where tests have a realm of their own, an error of node is of another one.
  if (typeof error !== 'object' || error === null) return false;
  const { code, driverError, message, constructor } = error as Partial<Error> & {
    code?: unknown;
    driverError?: unknown;
  };
  if (driverError) return isOutage(driverError);
  if (CODES.has(String(code)) || NAMES.has(constructor?.name)) return true;
  return NOT_NOW.test(String(message)) || TEXTS.some((text) => message?.startsWith(text));
}
