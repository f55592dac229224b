import { type ChildProcess, execFile, execFileSync, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** Folders that contain programs but are often missing in `PATH`. The newest version of PostgreSQL comes first. */
const FOLDERS = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  '/usr/sbin',
  '/usr/local/sbin',
  ...(existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [])
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => `/usr/lib/postgresql/${version}/bin`),
];

/** Returns the path of a program. `undefined` if it is not installed. */
export function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Whether all programs of a drill are installed. If not, prints which drill does not run and how to install them. */
export function hasPrograms(drill: string, programs: readonly string[], packages: string): boolean {
  const missing = programs.filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return true;
  process.stderr.write(`NOT DRILLED: ${drill}. Missing: ${missing.join(', ')}. Install ${packages}\n`);
  return false;
}

/** The identity of a process. */
interface Identity {
  uid: number;
  gid: number;
}

/**
 * Returns the system user that runs a database server, because PostgreSQL, MariaDB and PgBouncer do not run as root.
 * `undefined` if the tests do not run as root.
 */
function identityOf(user: string): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** The temporary folder and the processes of the database servers of one drill. */
export class DrillServers {
  readonly folder: string;
  private readonly identity: Identity | undefined;
  private readonly running = new Set<ServerProcess>();

  /** @param user the system user of the servers if the tests run as root */
  constructor(name: string, user = 'root') {
    this.identity = identityOf(user);
    this.folder = mkdtempSync(join(tmpdir(), `nest-oauth2-drill-${name}-`));
    if (this.identity) chownSync(this.folder, this.identity.uid, this.identity.gid);
  }

  private get options(): SpawnOptions {
    const { PGOPTIONS: _options, ...env } = process.env;
    return { cwd: this.folder, env: { ...env, LC_ALL: 'C' }, ...this.identity };
  }

  /** Runs a program to its end. @throws {Error} If it fails, with its output. */
  async run(program: string, args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(findProgram(program)!, args, this.options as { cwd: string });
    return stdout;
  }

  /** Starts a server that runs until `stop()`. */
  start(program: string, args: readonly string[]): ServerProcess {
    const child = spawn(findProgram(program)!, args, { ...this.options, stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new ServerProcess(program, child);
    this.running.add(server);
    return server;
  }

  /** Ends all servers and deletes the folder. */
  async stop(): Promise<void> {
    await Promise.all([...this.running].map((server) => server.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A running database server with its child processes. */
export class ServerProcess {
  /** The last lines that the server printed. */
  private output = '';

  constructor(
    private readonly program: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data: Buffer) => (this.output = (this.output + data.toString()).slice(-4000)));
    }
  }

  /** Whether the process has not ended. */
  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Returns `undefined` while the process runs. @throws {Error} If it has ended, with its last output. */
  verifyRunning(): void {
    if (!this.isRunning) throw new Error(`${this.program} has ended: ${this.output}`);
  }

  /** Sends SIGKILL to the server and its child processes. Resolves when the server has ended. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.child, 'exit');
    this.signal('SIGKILL');
    await ended;
  }

  /** Stops the execution of the server and its child processes, so that it no longer responds but keeps its connections. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  private signal(signal: NodeJS.Signals): void {
    // The server comes first, so that it starts no further child process.
    for (const pid of [this.child.pid!, ...childrenOf(this.child.pid!)]) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // A child process has ended meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }
}

/** Returns the IDs of the child processes of a process. Empty on systems without `/proc`. */
function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}
