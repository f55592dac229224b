import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// The program of Keycloak: its installation and its process.

export const version = '26.4.0';
const folder = fileURLToPath(new URL('../.keycloak/', import.meta.url));
const home = `${folder}keycloak-${version}`;
const program = `${home}/bin/kc.sh`;
/** Exists when Keycloak was built for PostgreSQL. */
const marker = `${home}/built-for-postgres`;
const run = promisify(execFile);
const hostname = 'https://id.example.com';

const exists = (path) =>
  access(path).then(
    () => true,
    () => false,
  );

/** Downloads Keycloak with Maven and builds it for PostgreSQL, once. Resolves to the reason if it cannot. */
export async function install() {
  for (const [command, ...args] of [
    ['java', '-version'],
    ['mvn', '-version'],
  ]) {
    const isMissing = await run(command, args).then(
      () => false,
      ({ code }) => code === 'ENOENT',
    );
    if (isMissing) return `\`${command}\` is not installed`;
  }
  if (!(await exists(program))) {
    const artifact = `org.keycloak:keycloak-quarkus-dist:${version}:zip`;
    const options = [`-Dartifact=${artifact}`, '-DoutputDirectory=.'];
    await mkdir(folder, { recursive: true });
    try {
      // Maven writes its markers into a folder of the working directory.
      await run('mvn', ['-q', '-B', 'dependency:unpack', ...options], { cwd: folder });
    } catch {
      return `Maven cannot download ${artifact}`;
    }
  }
  if (!(await exists(marker))) {
    await run('sh', [program, 'build', '--db=postgres']);
    await writeFile(marker, '');
  }
  return undefined;
}

/** Starts Keycloak in production mode, behind a proxy that terminates TLS. */
export function startProcess(settings) {
  const options = [
    `--hostname=${hostname}`,
    '--http-enabled=true',
    '--proxy-headers=xforwarded',
    '--cache=local',
    '--log-level=warn',
  ];
  // The script starts Java as its child. A process group of their own lets a signal reach both.
  const child = spawn('sh', [program, 'start', '--optimized', ...options], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  if (!pid) throw new Error('`sh` is not available.');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output = (output + data).slice(-10_000);
    });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const signal = (name) => {
    if (isRunning()) process.kill(-pid, name);
  };
  const killAtExit = () => signal('SIGKILL');
  process.once('exit', killAtExit);
  return {
    isRunning,
    output: () => output,
    pids: () => javaOf(pid),
    async stop() {
      process.off('exit', killAtExit);
      if (!isRunning()) return;
      const ended = once(child, 'close');
      const timer = setTimeout(signal, 20_000, 'SIGKILL');
      signal('SIGTERM');
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Returns the process of Java, which the script has started. Linux only. */
function javaOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number);
  return children.filter((child) => child > 0 && readFileSync(`/proc/${child}/comm`, 'utf8').trim() === 'java');
}
