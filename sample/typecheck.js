// Checks the types of every sample with the compiler of the repository, against the type declarations of the library.
// `npm run build` creates these declarations.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
const types = join(repository, 'dist');
if (!existsSync(join(types, 'cjs/package.json')))
  throw new Error('The type declarations of the library are missing. Run npm run build first.');

const isFolder = (path) => statSync(path).isDirectory();

function run(program, ...parameters) {
  const { status } = spawnSync(process.execPath, [program, ...parameters], { cwd: repository, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const samples = readdirSync(import.meta.dirname).map((name) => join(import.meta.dirname, name));
for (const sample of samples.filter(isFolder)) {
  run('sample/build.js', sample);
  cpSync(types, join(sample, 'node_modules/nest-oauth2/dist'), {
    recursive: true,
    filter: (path) => isFolder(path) || path.endsWith('.d.ts'),
  });
  run('node_modules/typescript/bin/tsc', '-p', sample);
}
