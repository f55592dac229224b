import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bench = fileURLToPath(new URL('.', import.meta.url));
const project = fileURLToPath(new URL('..', import.meta.url));
const entry = join('dist', 'esm', 'server.js');

/**
 * Installs the measured packages: the peers from the registry, and this project from a tarball as it would be
 * published.
 */
export function setUp() {
  if (!existsSync(join(project, entry))) {
    if (!existsSync(join(project, 'node_modules'))) npm(project, 'ci');
    npm(project, 'run', 'build');
  }
  const { dependencies } = JSON.parse(readFileSync(join(bench, 'package.json'), 'utf8'));
  if (!Object.keys(dependencies).every((name) => existsSync(join(bench, 'node_modules', name)))) npm(bench, 'ci');
  if (isStale()) installPackage();
}

function isStale() {
  const installed = join(bench, 'node_modules', 'nest-oauth2', entry);
  return !existsSync(installed) || statSync(installed).ctimeMs < newestIn(join(project, 'dist'));
}

/** Installs from a tarball, because a link would install a second copy of Nest. */
function installPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-bench-'));
  try {
    npm(project, 'pack', '--ignore-scripts', '--pack-destination', folder);
    const [tarball] = readdirSync(folder);
    npm(bench, 'install', '--prefer-offline', '--no-save', '--no-package-lock', join(folder, tarball));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function newestIn(folder) {
  const files = readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, name)));
  return Math.max(...files.map(({ mtimeMs }) => mtimeMs));
}

function npm(folder, ...args) {
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
}
