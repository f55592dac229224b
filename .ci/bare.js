// Runs the tests that use servers or programs as on a machine without them: with addresses of closed ports, and with a
// PATH that contains only Node.js, npm and git. test/requirements.spec.ts checks that these are all such tests.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CLOSED_SERVERS } from './closed-servers.js';

const PROGRAMS = ['node', 'npm', 'npx', 'git', 'sh', 'env'];

const programs = { CHROMIUM_PATH: '/nonexistent/chromium', PYTHON: '/nonexistent/python3' };

const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-bare-'));
for (const program of PROGRAMS) {
  const { stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  symlinkSync(program === 'node' ? process.execPath : stdout.trim(), join(folder, program));
}

const { MONGODB_URL: _, ...own } = process.env;
const env = { ...own, ...CLOSED_SERVERS, ...programs, PATH: folder };
const jest = [
  '--expose-gc',
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];
const tests = [
  '--selectProjects',
  'suite',
  'stores',
  'slow',
  '--ci',
  '--findRelatedTests',
  './test/support/environment/requirements.ts',
];
const { status } = spawnSync(process.execPath, [...jest, ...process.argv.slice(2), ...tests], {
  env,
  stdio: 'inherit',
});
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
