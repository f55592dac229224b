import { join } from 'node:path';
import mysql, { type RowDataPacket } from 'mysql2/promise';

import { freePort } from '../support/environment/free-port.js';
import { waitUntil } from '../support/environment/wait-until.js';
import { type DrillServers, hasPrograms, type ServerProcess } from './processes.js';

/** Whether this machine can run its own MariaDB server. If not, prints a notice. */
export const canRunMariaDb = (drill: string): boolean =>
  hasPrograms(drill, ['mariadbd', 'mariadb-install-db'], 'the server of MariaDB');

/**
 * Settings of a primary and its replica. A replica that becomes the primary needs a binary log, too. The primary waits
 * for the replica longer than a drill takes, because it continues without the replica afterwards.
 */
const REPLICATED = [
  '--log-bin=binlog',
  '--log-slave-updates',
  '--rpl-semi-sync-slave-enabled=ON',
  '--rpl-semi-sync-master-wait-point=AFTER_SYNC',
  '--rpl-semi-sync-master-timeout=600000',
];

/** A MariaDB server with its own folder and port. */
export class MariaDbServer {
  private process: ServerProcess | undefined;

  private constructor(
    private readonly servers: DrillServers,
    private readonly name: string,
    readonly port: number,
  ) {}

  /** Creates a server with a database for the application, and starts it. */
  static async create(servers: DrillServers, settings: readonly string[] = ['--skip-log-bin']): Promise<MariaDbServer> {
    const server = new MariaDbServer(servers, 'server', await freePort());
    await server.start(settings);
    await server.createDatabase();
    return server;
  }

  /**
   * Creates a primary with a replica, and a database for the application on both.
   * @param isSemisynchronous whether the primary responds to a commit after the replica has received it
   * @param route returns the port at which the replica reaches the primary
   */
  static async createPair(
    servers: DrillServers,
    isSemisynchronous: boolean,
    route: (primary: MariaDbServer) => Promise<number>,
  ): Promise<{ primary: MariaDbServer; replica: MariaDbServer }> {
    const primary = new MariaDbServer(servers, 'primary', await freePort());
    await primary.start([...REPLICATED, '--server-id=1']);
    const replica = new MariaDbServer(servers, 'replica', await freePort());
    await replica.start([...REPLICATED, '--server-id=2', '--read-only']);
    await primary.query(`CREATE USER replica@'%' IDENTIFIED BY 'replica'`);
    await primary.query(`GRANT REPLICATION SLAVE ON *.* TO replica@'%'`);
    const address = `MASTER_HOST = '127.0.0.1', MASTER_PORT = ${await route(primary)}`;
    const user = `MASTER_USER = 'replica', MASTER_PASSWORD = 'replica', MASTER_USE_GTID = slave_pos`;
    await replica.query(`CHANGE MASTER TO ${address}, ${user}`);
    await replica.query('START REPLICA');
    await waitUntil(async () => (await replica.replicaStatus())['Slave_IO_Running'] === 'Yes', 30);
    // The replica keeps the default: as the primary without a replica, it must not wait for one.
    if (isSemisynchronous) await primary.query('SET GLOBAL rpl_semi_sync_master_enabled = ON');
    await primary.createDatabase();
    return { primary, replica };
  }

  /** The URL for the application. */
  get url(): string {
    return this.urlAt(this.port);
  }

  /** Returns the URL for the application through a proxy at another port. */
  urlAt(port: number): string {
    return `mysql://app:app@127.0.0.1:${port}/app`;
  }

  /** Whether the server accepts writes. Rejects if it does not respond within a second. */
  async isPrimary(): Promise<boolean> {
    const [row] = await this.query('SELECT @@read_only AS standby', 500);
    return row!['standby'] === 0;
  }

  /** Whether the server responds to a commit only after a replica has received it. */
  async waitsForReplica(): Promise<boolean> {
    const [status] = await this.query(`SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_status'`);
    return status!['Value'] === 'ON';
  }

  /** Runs one statement as the administrator. @param timeout milliseconds to wait for a response */
  async query(sql: string, timeout = 10_000): Promise<RowDataPacket[]> {
    const address = { host: '127.0.0.1', port: this.port, user: 'root' };
    const connection = await mysql.createConnection({ ...address, connectTimeout: Math.min(timeout, 1000) });
    try {
      const [rows] = await connection.query<RowDataPacket[]>({ sql, timeout });
      return rows;
    } finally {
      // A frozen server does not close the connection.
      connection.destroy();
    }
  }

  /** Stops the replication and waits until the replica has applied everything that it received. */
  async finishReplay(): Promise<void> {
    await this.query('STOP REPLICA IO_THREAD', 30_000);
    const { Gtid_IO_Pos: received } = await this.replicaStatus();
    const [row] = await this.query(`SELECT MASTER_GTID_WAIT('${received}', 30) AS result`, 40_000);
    if (row!['result'] !== 0) throw new Error(`The replica has not applied ${received} within 30 seconds.`);
  }

  /** Makes a replica the primary. Resolves when it accepts writes. */
  async promote(): Promise<void> {
    await this.query('STOP REPLICA');
    await this.query('RESET REPLICA ALL');
    await this.query('SET GLOBAL read_only = 0');
  }

  async kill(): Promise<void> {
    await this.process!.kill();
  }

  freeze(): void {
    this.process!.freeze();
  }

  private async replicaStatus(): Promise<RowDataPacket> {
    const [status] = await this.query('SHOW REPLICA STATUS');
    return status!;
  }

  private async start(settings: readonly string[]): Promise<void> {
    const folder = join(this.servers.folder, this.name);
    const place = ['--no-defaults', `--datadir=${folder}`];
    const install = ['--auth-root-authentication-method=normal', '--skip-test-db'];
    await this.servers.run('mariadb-install-db', [...place, ...install]);
    this.process = this.servers.start('mariadbd', [
      ...place,
      `--port=${this.port}`,
      `--socket=${folder}.socket`,
      `--pid-file=${folder}.pid`,
      '--bind-address=127.0.0.1',
      '--innodb-flush-log-at-trx-commit=2',
      ...settings,
    ]);
    await waitUntil(async () => {
      this.process!.verifyRunning();
      return this.query('SELECT 1').catch(() => undefined);
    }, 30);
  }

  private async createDatabase(): Promise<void> {
    await this.query('CREATE DATABASE app');
    // The user has all rights on its database, but not those of an administrator, who may write to a read-only server.
    await this.query(`CREATE USER app@'%' IDENTIFIED BY 'app'`);
    await this.query(`GRANT ALL PRIVILEGES ON app.* TO app@'%'`);
  }
}
