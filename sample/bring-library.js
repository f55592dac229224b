// For each sample, from its own folder: npm has copied nest-oauth2 as it lies in this repository, and this brings its
// build, making it first where it is missing.
// An application of your own needs none of this: it installs the published package.
import { execSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
const installed = resolve('node_modules/nest-oauth2');
const run = (command) => execSync(command, { cwd: repository, stdio: 'inherit' });

// The last file that the library's build writes.
if (!existsSync(`${repository}/dist/cjs/package.json`)) {
  if (!existsSync(`${repository}/node_modules`)) run('npm ci');
  run('npm run build');
}
rmSync(`${installed}/dist`, { recursive: true, force: true });
for (const part of ['package.json', 'dist'])
  cpSync(`${repository}/${part}`, `${installed}/${part}`, { recursive: true });
