import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify, stripVTControlCharacters } from 'node:util';

import { freePort } from '../support/environment/free-port.js';
import { root, tarball } from './applications.js';
import { compareOutput, type PageStep, stepsOf } from './page-steps.js';

/** Commands that do not end by themselves. */
const SERVER = /^(?:\w+=\S+ )*(?:npm start|npm run start:dev|npx vite|node --import)\b/;

/** The ports in the pages, each of which is replaced by a free port. */
const PORTS = ['3000', '3001', '3002', '4000', '5173'];

/** Settings of npm that save time. */
const NPM = { prefer_offline: 'true', audit: 'false', fund: 'false', yes: 'true', update_notifier: 'false' };

/** How a page is followed. */
export interface PageOptions {
  /** Commands that are not run. */
  skip?: RegExp;
  /** Texts of the page to replace, such as the name of a database. */
  replace?: readonly (readonly [string | RegExp, string])[];
}

interface Server {
  child: ChildProcess;
  command: string;
  printed(): string;
}

/** Follows pages as a reader does: writes their files and runs their commands in one folder after the other. */
export class PageReader {
  private readonly servers: Server[] = [];
  /** The file that keeps the variables of the shell. */
  private readonly variables: string;

  private constructor(
    private readonly folder: string,
    private readonly ports: ReadonlyMap<string, number>,
    /** The folder in which the next command runs. */
    public cwd: string,
  ) {
    this.variables = join(folder, '.variables');
  }

  /** Creates a reader that begins in `folder`. */
  static async begin(folder: string): Promise<PageReader> {
    await mkdir(folder, { recursive: true });
    const ports = new Map<string, number>();
    for (const port of PORTS) ports.set(port, await freePort());
    return new PageReader(folder, ports, folder);
  }

  /** Returns the port that replaces a port of the pages. */
  port(named: string): number {
    return this.ports.get(named)!;
  }

  /** Follows all steps of a page. Servers of the page keep running. @throws {Error} With the line of a failed step. */
  async follow(page: string, { skip, replace = [] }: PageOptions = {}): Promise<void> {
    for (const step of stepsOf(await readFile(join(root, page), 'utf8'))) {
      const texts = [step.code, step.output?.text ?? ''].map((text) =>
        replace.reduce((result, [from, to]) => result.replaceAll(from, to), this.withPorts(text)),
      );
      const output = step.output && { ...step.output, text: texts[1]! };
      try {
        if (skip?.test(step.code)) continue;
        await this.take({ ...step, code: texts[0]!, ...(output && { output }) });
      } catch (error) {
        throw new Error(`${page}:${step.line}: ${(error as Error).message}`, { cause: error });
      }
    }
  }

  /** Runs commands and returns their output. Variables and the folder stay for the next commands. */
  async run(commands: string): Promise<string> {
    const script = `${this.beginning()}
${withTarball(commands)}
export -p >"${this.variables}"; pwd >"${this.variables}.cwd"`;
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: this.env(), maxBuffer: 1 << 26 }).catch(
      (error: Error & { stdout: string; stderr: string }) => {
        throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
      },
    );
    this.cwd = (await readFile(`${this.variables}.cwd`, 'utf8')).trim();
    return stripVTControlCharacters(stdout);
  }

  /**
   * Copies the application in `application`, a folder next to the current one. Returns a reader that continues in the
   * copy, with the same ports.
   */
  async copy(name: string, application = 'notes'): Promise<PageReader> {
    const folder = join(this.folder, '..', name);
    const reader = new PageReader(folder, this.ports, join(folder, application));
    await mkdir(reader.cwd, { recursive: true });
    const source = join(this.folder, application);
    for (const entry of await readdir(source)) {
      // The installed packages are linked, and npm replaces the files that it changes.
      if (entry === 'node_modules') await run('cp', ['-al', join(source, entry), reader.cwd]);
      else if (entry !== 'dist') await cp(join(source, entry), join(reader.cwd, entry), { recursive: true });
    }
    return reader;
  }

  /** Stops all servers, or the one that a command started. */
  async stop(command?: string): Promise<void> {
    const stopped = this.servers.filter((server) => command === undefined || server.command === command);
    for (const server of stopped) {
      this.servers.splice(this.servers.indexOf(server), 1);
      await end(server);
    }
  }

  private async take({ file, code, output }: PageStep): Promise<void> {
    if (file) {
      await mkdir(dirname(join(this.cwd, file)), { recursive: true });
      await rm(join(this.cwd, file), { force: true });
      await writeFile(join(this.cwd, file), code);
      return;
    }
    const printed = SERVER.test(code) ? await this.serve(code.trim()) : await this.run(code);
    const difference = output && compareOutput(printed, output);
    if (difference) throw new Error(difference);
  }

  /** Starts a server, after the end of an earlier one with the same command. Returns its output until it responds. */
  async serve(command: string): Promise<string> {
    await this.stop(command);
    const script = `${this.beginning()}\n${command}`;
    const child = spawn('sh', ['-c', script], { env: this.env(), detached: true });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
    const server = { child, command, printed: () => stripVTControlCharacters(text) };
    this.servers.push(server);
    const port = /(?:PORT=|--port )(\d+)/.exec(command)?.[1] ?? this.port('3000');
    for (let attempts = 0; attempts < 600; attempts += 1) {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}:\n${server.printed()}`);
      const isReady = await fetch(`http://localhost:${port}`).then(
        () => true,
        () => false,
      );
      if (isReady) return server.printed();
      await delay(100);
    }
    throw new Error(`does not listen on ${port}:\n${server.printed()}`);
  }

  /** Returns what a running server has printed. */
  printed(command: string): string {
    return this.servers.find((server) => server.command === command)?.printed() ?? '';
  }

  /** The beginning of a script: sets the variables of earlier commands, and enters the folder. */
  private beginning(): string {
    return `set -ea\n[ ! -e "${this.variables}" ] || . "${this.variables}"\ncd "${this.cwd}"`;
  }

  private withPorts(text: string): string {
    return text.replaceAll(/(?<=localhost:|127\.0\.0\.1:|--port |PORT=)\d{4}\b/g, (port) =>
      String(this.ports.get(port) ?? port),
    );
  }

  private env(): NodeJS.ProcessEnv {
    const npm = Object.entries(NPM).map(([name, value]) => [`npm_config_${name}`, value]);
    // The pages name their own database, and a variable of the developer would win over a file `.env`.
    const own = { DATABASE_URL: undefined, PORT: String(this.port('3000')), NO_COLOR: '1' };
    return { ...process.env, ...Object.fromEntries(npm), ...own };
  }
}

const run = promisify(execFile);

/** Replaces the package in `npm install` by the tarball. */
const withTarball = (commands: string) =>
  commands.replaceAll(/^(npm install (?:.* )?)nest-oauth2(?= |$)/gm, (_, before: string) => `${before}${tarball}`);

async function end({ child }: Server): Promise<void> {
  if (child.exitCode !== null) return;
  const closed = once(child, 'close');
  process.kill(-child.pid!);
  await closed;
}
