import type { DataSource } from 'typeorm';

/** A connection of `pg` or `mysql2`, as the pool returns it. */
export interface PooledConnection {
  destroy?(): void;
  stream?: { destroy(): void };
}

/** How many milliseconds a request to stop a statement may take. */
const LIMIT = 1000;

/**
 * Asks the server to stop the statement of a connection, over a connection of its own. Without it, PostgreSQL and MySQL
 * continue to wait for a lock after the client has disconnected. Resolves when the server has answered, or after a second.
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

/** The protocol's part of a client of `pg`. */
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

/** A CancelRequest: the server cancels the statement and closes the connection. PgBouncer forwards it. */
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
  /** A Unix socket, or a closed connection, has no port. */
  stream?: { destroy(): void; localPort?: number };
  threadId: number;
  config: Record<string, unknown>;
}

interface MySqlDriver {
  createConnection(options: object): {
    on(event: 'error', listener: () => void): void;
    query(text: string, values: unknown[], done: (error: unknown, found: readonly unknown[]) => void): void;
    destroy(): void;
  };
}

/** The options of a MySQL connection that say where and as which user it connects. */
const IDENTITY = ['host', 'port', 'socketPath', 'user', 'password', 'passwordSha1', 'ssl', 'authPlugins', 'stream'];

/** The connections with this number and client port. A TCP connection is listed with the host and port of its client. */
const FIND_THREAD = 'SELECT id FROM information_schema.processlist WHERE id = ? AND host LIKE ?';

/**
 * `KILL` ends the statement and its connection. After a failover or restart, the number may belong to a connection of another client, so
 * the port of the client must match too. A proxy that changes the port has its statements run to their end.
 */
const killMySql: Stop = (connection, { driver }, done) => {
  const { threadId, config, stream } = connection as MySqlConnection;
  const { mysql } = driver as unknown as { mysql: MySqlDriver };
  const given = IDENTITY.filter((name) => config[name] !== undefined).map((name) => [name, config[name]]);
  const killer = mysql.createConnection({ ...Object.fromEntries(given), connectTimeout: LIMIT });
  const host = config['socketPath'] ? '%' : `%:${stream?.localPort}`;
  killer.on('error', done);
  killer.query(FIND_THREAD, [threadId, host], (error, found) => {
    if (error || found.length === 0) done();
    else killer.query(`KILL ${Number(threadId)}`, [], done);
  });
  return () => killer.destroy();
};
