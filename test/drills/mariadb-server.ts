import { join } from 'node:path';
import mysql from 'mysql2/promise';

import { freePort } from '../support/free-port.js';
import { waitUntil } from '../support/wait-until.js';
import { type DrillServers, hasPrograms } from './processes.js';

/** Whether this machine can run its own MariaDB server. If not, prints a notice. */
export const canRunMariaDb = (drill: string): boolean =>
  hasPrograms(drill, ['mariadbd', 'mariadb-install-db'], 'the server of MariaDB');

/** A MariaDB server with its own folder and port. */
export class MariaDbServer {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  /** Creates a server with a database for the application, and starts it. */
  static async create(servers: DrillServers): Promise<MariaDbServer> {
    const server = new MariaDbServer(join(servers.folder, 'data'), await freePort());
    const place = ['--no-defaults', `--datadir=${server.folder}`];
    await servers.run('mariadb-install-db', [...place, '--auth-root-authentication-method=normal', '--skip-test-db']);
    const child = servers.start('mariadbd', [
      ...place,
      `--port=${server.port}`,
      `--socket=${join(servers.folder, 's')}`,
      `--pid-file=${join(servers.folder, 'pid')}`,
      '--bind-address=127.0.0.1',
      '--skip-log-bin',
      '--innodb-flush-log-at-trx-commit=2',
    ]);
    await waitUntil(async () => {
      child.verifyRunning();
      return server.query('SELECT 1').catch(() => undefined);
    }, 30);
    await server.query('CREATE DATABASE app');
    // The user has all rights on its database, but not those of an administrator, who may write to a read-only server.
    await server.query(`CREATE USER app@'%' IDENTIFIED BY 'app'`);
    await server.query(`GRANT ALL PRIVILEGES ON app.* TO app@'%'`);
    return server;
  }

  /** The URL for the application. */
  get url(): string {
    return `mysql://app:app@127.0.0.1:${this.port}/app`;
  }

  /** Runs one statement as the administrator. */
  async query(text: string): Promise<unknown> {
    const connection = await mysql.createConnection({ host: '127.0.0.1', port: this.port, user: 'root' });
    try {
      const [rows] = await connection.query(text);
      return rows;
    } finally {
      await connection.end();
    }
  }
}
