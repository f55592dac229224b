// Prepares a sample: installs its packages, compiles the library into its node_modules, and compiles the sample into
// its dist folder. Steps that are up to date are skipped. An application of your own does not need this script, because
// it installs the published package.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
/** The folder of the sample: the first argument. Default: the current folder. */
const sample = resolve(process.argv[2] ?? '.');
const library = join(sample, 'node_modules/nest-oauth2');
const thisScript = fileURLToPath(import.meta.url);

if (!isInstalled()) install();
await compile('nest-oauth2', {
  sources: [thisScript, ...within(repository, 'lib', 'src', 'package.json', 'rolldown.config.js', 'tsconfig.json')],
  into: join(library, 'dist'),
  make: makeLibrary,
});
await compile('the sample', {
  sources: [thisScript, ...within(sample, 'src', 'package.json', 'tsconfig.json')],
  into: join(sample, 'dist'),
  make: makeSample,
});

/** Whether every package of the lock file is installed in its version. npm lists the installed packages in a file. */
function isInstalled() {
  const required = readLock('package-lock.json');
  const installed = readLock('node_modules/.package-lock.json');
  return Object.entries(required).every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
}

function readLock(path) {
  try {
    return JSON.parse(readFileSync(join(sample, path), 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

function install() {
  console.log('Installing the packages of the sample (first start only) …');
  const start = Date.now();
  // rolldown is a development dependency, and the binaries of rolldown and libsql are optional packages. Include them
  // even if the user's npm settings omit them.
  const options = ['--include=dev', '--include=optional', '--install-links', '--loglevel=error'];
  const { status, error } = npm('ci', '--no-audit', '--no-fund', ...options);
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
  const count = Object.keys(readLock('node_modules/.package-lock.json')).length;
  console.log(`Installed ${count} packages in ${seconds(start)}`);
}

/** Runs npm: the npm that started this script, or else the one in PATH, which needs a shell on Windows. */
function npm(...parameters) {
  const running = process.env.npm_execpath ?? '';
  const options = { cwd: sample, stdio: ['ignore', 'ignore', 'inherit'] };
  if (/npm-cli\.[cm]?js$/.test(running)) return spawnSync(process.execPath, [running, ...parameters], options);
  return spawnSync('npm', parameters, { ...options, shell: process.platform === 'win32' });
}

/** Compiles the sources unless they are unchanged. The output folder contains the digest of the compiled sources. */
async function compile(name, { sources, into, make }) {
  const stamp = join(into, '.sources-digest');
  const digest = digestOf(sources);
  if (readStamp(stamp) === digest) return;
  const start = Date.now();
  rmSync(into, { recursive: true, force: true });
  const rolldown = createRequire(join(sample, 'package.json')).resolve('rolldown');
  const { build } = await import(pathToFileURL(rolldown).href);
  await make(build, into);
  writeFileSync(stamp, digest);
  console.log(`Compiled ${name} in ${seconds(start)}`);
}

/** Compiles the library in both published formats, without type declarations. */
async function makeLibrary(build, into) {
  const { default: bundles } = await import('../rolldown.config.js');
  // The migration command is another package.
  for (const bundle of bundles.filter(({ output }) => output.dir.startsWith('dist/'))) {
    const output = { ...bundle.output, dir: join(into, bundle.output.format) };
    await build({ ...bundle, cwd: repository, output });
  }
  writeFileSync(join(into, 'cjs/package.json'), JSON.stringify({ type: 'commonjs' }));
  cpSync(join(repository, 'package.json'), join(library, 'package.json'));
  // npx runs this file. npm made it executable at the installation, before it was compiled.
  chmodSync(join(into, 'esm/cli.js'), 0o755);
}

/** Compiles each source file of the sample to a file with the same relative path. */
async function makeSample(build, into) {
  const sources = filesIn(join(sample, 'src'));
  const nameOf = (file) => relative(join(sample, 'src'), file).replace(/\.ts$/, '');
  const { dependencies } = JSON.parse(readFileSync(join(sample, 'package.json'), 'utf8'));
  await build({
    cwd: sample,
    input: Object.fromEntries(sources.map((file) => [nameOf(file), file])),
    external: [/^node:/, /\.cjs$/, ...Object.keys(dependencies).map((name) => new RegExp(`^${name}(/|$)`))],
    platform: 'node',
    treeshake: false,
    tsconfig: 'tsconfig.json',
    output: { dir: into, preserveModules: true, preserveModulesRoot: 'src', sourcemap: true },
  });
}

function within(folder, ...names) {
  return names.map((name) => join(folder, name));
}

function digestOf(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesIn)) hash.update(`${relative(repository, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)));
}

function readStamp(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
