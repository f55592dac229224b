import type { DataSource } from 'typeorm';

/** A connection of `pg` or `mysql2`, as the pool returns it. */
export interface PooledConnection {
  destroy?(): void;
  stream?: { destroy(): void };
}

/** Maximum milliseconds for a request to stop a statement. */
const LIMIT = 1000;

/**
 * Asks the server to stop the statement of a connection, over a separate connection. Without it, PostgreSQL and MySQL
 * continue to wait for a lock after the client has disconnected. Resolves when the server has responded, or after a
 * second.
 */
export async function stopStatement(source: DataSource, connection: PooledConnection): Promise<void> {
  const stop = source.options.type === 'postgres' ? cancelPostgres : killMySql;
  await new Promise<void>((resolve) => {
    let close: (() => void) | undefined;
    const done = () => {
      clearTimeout(timer);
      close?.();
      resolve();
    };
    const timer = setTimeout(done, LIMIT);
    try {
      close = stop(connection, source, done);
    } catch {
      // A driver without these members, for example pg-native.
      done();
    }
  });
}

type Stop = (connection: PooledConnection, source: DataSource, done: () => void) => () => void;

/** The protocol layer of a `pg` client. */
interface PostgresProtocol {
  stream: { destroy(): void };
  on(event: string, listener: () => void): void;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: unknown): void;
}

interface PostgresClient extends PooledConnection {
  host: string;
  port: number;
  ssl?: unknown;
  sslNegotiation?: string;
  processID: number;
  secretKey: unknown;
  constructor: new (config: object) => { connection: PostgresProtocol };
}

/**
 * Cancels the running statement of a PostgreSQL connection. It opens a second connection and sends a CancelRequest, after
 * which the database closes that second connection. PgBouncer forwards the request.
 */
const cancelPostgres: Stop = (connection, _source, done) => {
  const client = connection as PostgresClient;
  const { host, port, ssl = false, sslNegotiation } = client;
  const { connection: protocol } = new client.constructor({ host, port, ssl, sslnegotiation: sslNegotiation });
  const cancel = () => protocol.cancel(client.processID, client.secretKey);
  for (const event of ['error', 'end']) protocol.on(event, done);
  protocol.on('connect', () => {
    if (!ssl) cancel();
    else if (sslNegotiation !== 'direct') protocol.requestSsl();
  });
  protocol.on('sslconnect', cancel);
  if (host.startsWith('/')) protocol.connect(`${host}/.s.PGSQL.${port}`);
  else protocol.connect(port, host);
  return () => protocol.stream.destroy();
};

interface MySqlConnection extends PooledConnection {
  /** The socket to the database server. `localPort` is `undefined` for a Unix socket or a closed connection. */
  stream?: { destroy(): void; localPort?: number };
  threadId: number;
  config: Record<string, unknown>;
}

interface MySqlDriver {
  createConnection(options: object): {
    on(event: 'error', listener: () => void): void;
    query(text: string, values: unknown[], done: (error: unknown, threads: readonly unknown[]) => void): void;
    destroy(): void;
  };
}

/** The options of a MySQL connection that determine the server and the user. */
const IDENTITY = ['host', 'port', 'socketPath', 'user', 'password', 'passwordSha1', 'ssl', 'authPlugins', 'stream'];

/**
 * Finds the connection with this number and client port. TCP connections are listed with the host and port of their
 * client.
 */
const FIND_THREAD = 'SELECT id FROM information_schema.processlist WHERE id = ? AND host LIKE ?';

/**
 * Kills the statement and its connection. After a failover or restart, the number may belong to another client's
 * connection, so the client port must match too. Behind a proxy that changes the port, statements are not stopped.
 */
const killMySql: Stop = (connection, { driver }, done) => {
  const { threadId, config, stream } = connection as MySqlConnection;
  const { mysql } = driver as unknown as { mysql: MySqlDriver };
  const connectionOptions = IDENTITY.filter((name) => config[name] !== undefined).map((name) => [name, config[name]]);
  const killer = mysql.createConnection({ ...Object.fromEntries(connectionOptions), connectTimeout: LIMIT });
  const host = config['socketPath'] ? '%' : `%:${stream?.localPort}`;
  killer.on('error', done);
  killer.query(FIND_THREAD, [threadId, host], (error, threads) => {
    if (error || threads.length === 0) done();
    else killer.query(`KILL ${Number(threadId)}`, [], done);
  });
  return () => killer.destroy();
};
