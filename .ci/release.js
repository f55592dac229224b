// Releases the version of package.json: `npm run release`, with packages/migrate and packages/languages in the same version. Checks everything first, and changes nothing if a check fails.
// A commit without the tag of its version is tagged, and the tag is pushed: release.yml then runs this script again. On
// the tagged commit, it publishes the package. `npm run release -- --dry-run` only checks.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf as problemsOfRelease } from './release-checks.js';
import { problemsOf as problemsOfTarball, sizesOf } from './tarball.js';

const root = join(import.meta.dirname, '..');
const options = process.argv.slice(2);
const unknown = options.filter((option) => option !== '--dry-run');
if (unknown.length > 0) {
  console.error(`Unknown options: ${unknown.join(' ')}. The only option is \`--dry-run\`.`);
  process.exit(1);
}
// npm keeps the option for itself if it comes before `--`.
const isDryRun = options.length > 0 || process.env.npm_config_dry_run === 'true';

const run = (command, ...args) => execFileSync(command, args, { cwd: root, encoding: 'utf8' }).trim();
const execute = (command, ...args) => execFileSync(command, args, { cwd: root, stdio: 'inherit' });

/** Returns the problem that a tool finds in the tarball, with its output. */
function problemOfTool(name, ...args) {
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', name), args, { encoding: 'utf8' });
  return status === 0 ? [] : [`${name} found problems:\n${stdout}${stderr}`];
}

/** Returns a problem if the registry has this version already, or cannot be asked. */
function problemOfRegistry({ name, version }) {
  const { status, stdout, stderr } = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' });
  if (status !== 0) return stderr.includes('E404') ? [] : [`The registry cannot be asked for ${version}:\n${stderr}`];
  return stdout.trim() === '' ? [] : [`The registry has ${name} ${version} already.`];
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tag = `v${manifest.version}`;
const head = run('git', 'rev-parse', 'HEAD');
const tagged = run('git', 'for-each-ref', '--format=%(*objectname) %(objectname)', `refs/tags/${tag}`).split(' ')[0];
const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-release-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

// `prepack` builds the package from the sources, so that an old build cannot be published.
run('npm', 'pack', '--silent', '--pack-destination', folder);
const [filename] = readdirSync(folder);
const tarball = join(folder, filename);
/** The other packages of this repository, with their tarballs. */
const others = ['packages/migrate', 'packages/languages'].map((path) => ({
  path,
  manifest: JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')),
  tarball: join(folder, run('npm', 'pack', '--silent', '--pack-destination', folder, `./${path}`)),
}));
const problems = [
  ...problemsOfRelease({
    manifest,
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    changes: run('git', 'status', '--porcelain'),
    head,
    tagged,
  }),
  ...others
    .filter((other) => other.manifest.version !== manifest.version)
    .map(({ path }) => `${path}/package.json must have version ${manifest.version}.`),
  ...problemOfRegistry(manifest),
  ...others.flatMap((other) => problemOfRegistry(other.manifest)),
  ...problemsOfTarball(tarball),
  ...problemOfTool('publint', 'run', tarball, '--strict'),
  ...problemOfTool('attw', tarball, '--no-emoji', '--no-color'),
];

const { packed, unpacked } = sizesOf(tarball);
console.log(`${filename}: packed ${packed} bytes, unpacked ${unpacked} bytes`);
for (const problem of problems) console.error(`- ${problem}`);

if (problems.length > 0) {
  console.error(`${manifest.name} ${manifest.version} cannot be published.`);
  process.exitCode = 1;
} else if (isDryRun) {
  console.log(`${manifest.name} ${manifest.version} can be published. This was a dry run.`);
} else if (tagged === head) {
  execute('npm', 'publish', tarball);
  for (const other of others) execute('npm', 'publish', other.tarball);
} else {
  execute('git', 'tag', '--annotate', tag, '--message', `${manifest.name} ${manifest.version}`);
  execute('git', 'push', 'origin', tag);
  console.log(`${tag} was pushed. The workflow release.yml publishes it.`);
}
