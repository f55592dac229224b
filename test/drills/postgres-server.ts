import { join } from 'node:path';
import { Client } from 'pg';

import { freePort } from '../support/environment/free-port.js';
import { waitUntil } from '../support/environment/wait-until.js';
import type { DrillServers } from './processes.js';
import { hasPrograms, type ServerProcess } from './processes.js';

/** Whether this machine can run its own PostgreSQL servers. If not, prints a notice. */
export const canRunPostgres = (drill: string): boolean =>
  hasPrograms(drill, ['initdb', 'postgres', 'pg_basebackup', 'pg_ctl'], 'the server of PostgreSQL');

/** Settings for fast drills. `fsync` matters only if the operating system crashes, not if the server is killed. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'shared_buffers=32MB', 'max_connections=100'];

/** A PostgreSQL server with its own folder and port. */
export class PostgresServer {
  private process: ServerProcess | undefined;

  private constructor(
    private readonly servers: DrillServers,
    private readonly name: string,
    readonly port: number,
  ) {}

  /** Creates an empty server and starts it. */
  static async create(servers: DrillServers, name: string, settings: readonly string[] = []): Promise<PostgresServer> {
    const server = new PostgresServer(servers, name, await freePort());
    await servers.run('initdb', ['-D', server.folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
    await server.start(settings);
    return server;
  }

  /**
   * Creates a hot standby of this server and starts it.
   * @param port the port of the primary, or of a network in front of it
   */
  async createStandby(name: string, port = this.port): Promise<PostgresServer> {
    const standby = new PostgresServer(this.servers, name, await freePort());
    const primary = `host=127.0.0.1 port=${port} user=postgres application_name=${name}`;
    await this.servers.run('pg_basebackup', [
      `--pgdata=${standby.folder}`,
      `--dbname=${primary}`,
      '--write-recovery-conf',
      '--checkpoint=fast',
      '--no-sync',
    ]);
    await standby.start();
    await waitUntil(async () => {
      const [row] = await this.query(`SELECT state FROM pg_stat_replication WHERE application_name = '${name}'`);
      return row?.['state'] === 'streaming';
    }, 30);
    return standby;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  get folder(): string {
    return join(this.servers.folder, this.name);
  }

  /** Whether the server accepts writes. Rejects if it does not respond within a second. */
  async isPrimary(): Promise<boolean> {
    const [row] = await this.query('SELECT pg_is_in_recovery() AS standby', 500);
    return row!['standby'] === false;
  }

  /** Runs one statement on a new connection. @param timeout milliseconds to wait for a response */
  async query(text: string, timeout = 5000): Promise<Record<string, unknown>[]> {
    const limits = { connectionTimeoutMillis: Math.min(timeout, 1000), query_timeout: timeout };
    const client = new Client({ connectionString: this.url, ...limits });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(text);
      return rows;
    } finally {
      // A frozen server does not close the connection.
      void client.end();
    }
  }

  /** Waits until a standby has applied everything that it received from its primary. */
  async finishReplay(): Promise<void> {
    const text = 'SELECT pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AS done';
    await waitUntil(async () => (await this.query(text))[0]!['done'], 30);
  }

  /** Makes a standby the primary. Resolves when it accepts writes. */
  async promote(): Promise<void> {
    await this.servers.run('pg_ctl', ['promote', '-D', this.folder, '-w', '-s']);
  }

  async kill(): Promise<void> {
    await this.process!.kill();
  }

  freeze(): void {
    this.process!.freeze();
  }

  private async start(settings: readonly string[] = []): Promise<void> {
    const options = [...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]);
    const place = ['-D', this.folder, '-p', String(this.port), '-h', '127.0.0.1', '-k', ''];
    this.process = this.servers.start('postgres', [...place, ...options]);
    await waitUntil(async () => {
      this.process!.verifyRunning();
      return this.query('SELECT 1').catch(() => undefined);
    }, 30);
  }
}
