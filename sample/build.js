// Makes a sample ready to run: installs what it needs, compiles the library into its node_modules and the sample into
// its dist. Whatever is there and still right is left alone, so that a second start has nothing to wait for.
// An application of your own needs none of this: it installs the published package.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
/** The folder it is run in, or the one it is told. */
const sample = resolve(process.argv[2] ?? '.');
const library = join(sample, 'node_modules/nest-oauth2');
const itself = fileURLToPath(import.meta.url);

if (!isInstalled()) install();
await compile('nest-oauth2', {
  sources: [itself, ...within(repository, 'lib', 'src', 'package.json', 'rolldown.config.js', 'tsconfig.json')],
  into: join(library, 'dist'),
  make: makeLibrary,
});
await compile('the sample', {
  sources: [itself, ...within(sample, 'src', 'package.json', 'tsconfig.json')],
  into: join(sample, 'dist'),
  make: makeSample,
});

/** Is every package of the lock file there, in its version? npm writes down what it has installed when it is done. */
function isInstalled() {
  const wanted = readLock('package-lock.json');
  const installed = readLock('node_modules/.package-lock.json');
  return Object.entries(wanted).every(
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
  console.log('Installing what the sample needs, once …');
  const start = Date.now();
  // The binaries of rolldown and libsql are optional packages, one for each platform, and rolldown is for development:
  // whoever leaves those out elsewhere needs them here.
  const options = ['--include=dev', '--include=optional', '--install-links', '--loglevel=error'];
  const { status, error } = npm('ci', '--no-audit', '--no-fund', ...options);
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
  const count = Object.keys(readLock('node_modules/.package-lock.json')).length;
  console.log(`Installed ${count} packages in ${seconds(start)}`);
}

/** The npm that runs this; on Windows one that is found by its name is a script for a shell. */
function npm(...parameters) {
  const running = process.env.npm_execpath ?? '';
  const options = { cwd: sample, stdio: ['ignore', 'ignore', 'inherit'] };
  if (/npm-cli\.[cm]?js$/.test(running)) return spawnSync(process.execPath, [running, ...parameters], options);
  return spawnSync('npm', parameters, { ...options, shell: process.platform === 'win32' });
}

/** Compiles once for each state of the sources: their digest lies beside what was made of them. */
async function compile(name, { sources, into, make }) {
  const stamp = join(into, '.made-of');
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

/** Both formats, as they are published. The types are left out: nothing is checked here. */
async function makeLibrary(build, into) {
  const { default: bundles } = await import('../rolldown.config.js');
  for (const bundle of bundles) {
    const output = { ...bundle.output, dir: join(into, bundle.output.format) };
    await build({ ...bundle, cwd: repository, output });
  }
  writeFileSync(join(into, 'cjs/package.json'), JSON.stringify({ type: 'commonjs' }));
  cpSync(join(repository, 'package.json'), join(library, 'package.json'));
}

/** A file for each source, beside each other as they are in src. */
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
