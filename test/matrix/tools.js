import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run-command.js';

/** The packages of npm that contain other package managers. */
const MANAGERS = { pnpm: 'pnpm@^12', yarn: '@yarnpkg/cli-dist@^4' };
const [RUNNING_NODE] = process.versions.node.split('.');

/** Installs the package managers and the Node.js versions of the cells, and returns where they are. */
export async function installTools(folder, cells) {
  const nodes = [...new Set(cells.map(({ node }) => node))].filter((version) => version !== RUNNING_NODE);
  const managers = [...new Set(cells.map(({ pm }) => pm))].flatMap((pm) => MANAGERS[pm] ?? []);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const binaries = nodes.map((version) => `node-${version}@npm:node-${platform}-${process.arch}@${version}`);
  await mkdir(folder, { recursive: true });
  const packages = [...managers, ...binaries];
  if (packages.length > 0) {
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    await run('npm', ['install', '--prefix', folder, ...options, ...packages], { cwd: folder });
  }
  const modules = join(folder, 'node_modules');
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  return {
    pnpm: join(modules, 'pnpm/bin/pnpm.mjs'),
    yarn: join(modules, '@yarnpkg/cli-dist/bin/yarn.js'),
    /** Returns the program of a Node.js version. */
    node: (version) => (version === RUNNING_NODE ? process.execPath : join(modules, `node-${version}/bin`, program)),
  };
}
