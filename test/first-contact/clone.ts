import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A clean clone on a machine that has an npm of this version, Node, a shell and nothing else: no compiler, no Python. */
export interface Clone {
  folder: string;
  environment: NodeJS.ProcessEnv;
  /** Runs npm in it, and resolves to the lines it printed. */
  npm(...parameters: string[]): Promise<string[]>;
  /** How often npm has installed something here. */
  countInstalls(): Promise<number>;
  remove(): Promise<void>;
}

/** `settings` are further variables, for npm or for the sample. */
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

/** What git would clone, and what is not committed yet; nothing that was installed or built. */
async function copySources(folder: string): Promise<void> {
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await run('git', listing, { cwd: root, maxBuffer: 1 << 26 });
  for (const file of stdout.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(root, file), join(folder, file)).catch((error: NodeJS.ErrnoException) => {
      // Deleted, and not committed yet.
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

/** These tests run under an npm themselves, which says so to whatever it starts. */
function environmentOutsideOfNpm(): NodeJS.ProcessEnv {
  const inside =
    /^(npm_(?!config_)|npm_config_(local_prefix|prefix|loglevel|ignore_scripts|user_agent|npm_version)$|INIT_CWD|NODE_OPTIONS)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !inside.test(name)));
}
