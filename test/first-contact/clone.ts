import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A clean clone on a machine with this version of npm, Node.js and a shell, but without a compiler or Python. */
export interface Clone {
  folder: string;
  environment: NodeJS.ProcessEnv;
  /** Runs npm in the clone, and returns the lines it printed. */
  npm(...parameters: string[]): Promise<string[]>;
  /** Returns how often npm has installed packages. */
  countInstalls(): Promise<number>;
  remove(): Promise<void>;
}

/** Creates a clone. `settings` are additional environment variables for npm or the sample. */
export async function makeClone(npmVersion: string, settings: NodeJS.ProcessEnv): Promise<Clone> {
  const place = await mkdtemp(join(tmpdir(), 'first-contact-'));
  const [folder, bin, logs] = ['clone', 'bin', 'logs'].map((name) => join(place, name)) as [string, string, string];
  const outside = { ...environmentOutsideOfNpm(), npm_config_logs_dir: join(place, 'other-logs') };
  await run('npm', ['install', '--prefix', join(place, 'npm'), `npm@${npmVersion}`], { cwd: place, env: outside });
  await copySources(folder);
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  await symlink('/bin/sh', join(bin, 'sh'));
  const program = join(place, 'npm/node_modules/npm/bin/npm-cli.js');
  await chmod(program, 0o755);
  await symlink(program, join(bin, 'npm'));

  async function countInstalls(): Promise<number> {
    const names = await readdir(logs);
    const texts = await Promise.all(names.map((name) => readFile(join(logs, name), 'utf8')));
    return texts.filter((text) => /\bargv "(ci|install|i)"/.test(text)).length;
  }
  async function npm(...parameters: string[]): Promise<string[]> {
    const { stdout, stderr } = await run('npm', parameters, { cwd: folder, env: environment, maxBuffer: 1 << 26 });
    return `${stdout}\n${stderr}`.split('\n');
  }
  const own = { PATH: bin, npm_config_logs_dir: logs, npm_config_logs_max: '100' };
  const remove = () => rm(place, { recursive: true, force: true });
  const environment = { ...outside, ...own, ...settings };
  return { folder, environment, npm, countInstalls, remove };
}

/** Copies the files that git would clone, and uncommitted ones, but nothing installed or built. */
async function copySources(folder: string): Promise<void> {
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await run('git', listing, { cwd: root, maxBuffer: 1 << 26 });
  for (const file of stdout.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(root, file), join(folder, file)).catch((error: NodeJS.ErrnoException) => {
      // The file is deleted but this is not committed yet.
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

/** Returns the environment without the variables that npm sets for the tests. */
function environmentOutsideOfNpm(): NodeJS.ProcessEnv {
  const inside =
    /^(npm_(?!config_)|npm_config_(local_prefix|prefix|loglevel|ignore_scripts|user_agent|npm_version)$|INIT_CWD|NODE_OPTIONS)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !inside.test(name)));
}
