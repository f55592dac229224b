// Fuzzes the parsers that strangers reach, guided by coverage: `npm run fuzz -- claims dpop --seconds=600`. Without
// names, it fuzzes all. Inputs that reach new code are added to `corpus/`, which `npm test` replays. It needs
// `npm install --no-save @jazzer.js/core@4` on Linux with glibc 2.38 or later, such as Debian 13.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

import { rolldown } from 'rolldown';

const CORPUS = join(import.meta.dirname, 'corpus');
const JAZZER = 'node_modules/@jazzer.js/core/dist/cli.js';
/** Longer inputs cost more time than they find. */
const MAX_LENGTH = 4096;
/** Inputs that `npm test` replays for each target: the shortest ones that reach all code. */
const MAX_INPUTS = 300;

const work = mkdtempSync(join(tmpdir(), 'fuzz-'));

/** Writes the targets as one CommonJS file, which Jazzer instruments. */
async function build() {
  const bundle = await rolldown({
    input: { targets: join(import.meta.dirname, 'targets.ts') },
    platform: 'node',
    tsconfig: 'tsconfig.json',
  });
  await bundle.write({ dir: work, format: 'cjs', entryFileNames: '[name].cjs' });
  const target = "exports.fuzz = require('./targets.cjs').TARGETS[process.env.FUZZ_TARGET];";
  writeFileSync(join(work, 'fuzz.cjs'), target);
}

/** Runs Jazzer with options of libFuzzer. Returns whether it found no fault. */
function jazzer(name, folders, options) {
  const args = [JAZZER, join(work, 'fuzz.cjs'), ...folders, '-i', 'targets.cjs', '--', ...options];
  const env = { ...process.env, FUZZ_TARGET: name };
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status === 0;
}

/** Fuzzes a target for some seconds and records the inputs that reach new code. Returns whether it found no fault. */
function fuzz(name, seconds) {
  const file = join(CORPUS, `${name}.json`);
  const known = JSON.parse(readFileSync(file, 'utf8'));
  const [inputs, merged] = ['inputs', 'merged'].map((kind) => join(work, `${name}-${kind}`));
  for (const folder of [inputs, merged]) mkdirSync(folder);
  known.forEach((input, index) => writeFileSync(join(inputs, `known-${index}`), Buffer.from(input, 'base64')));
  const isSound = jazzer(
    name,
    [inputs],
    [
      `-max_total_time=${seconds}`,
      `-max_len=${MAX_LENGTH}`,
      `-artifact_prefix=${work}/${name}-fault-`,
      '-print_final_stats=1',
    ],
  );
  for (const fault of readdirSync(work).filter((path) => path.startsWith(`${name}-fault-`)))
    console.error(`${name} fails for ${readFileSync(join(work, fault)).toString('base64')}`);
  if (!isSound || !jazzer(name, [merged, inputs], ['-merge=1'])) return false;
  const found = readdirSync(merged)
    .map((path) => readFileSync(join(merged, path)))
    .toSorted((one, other) => one.length - other.length)
    .slice(0, MAX_INPUTS)
    .map((input) => input.toString('base64'));
  writeFileSync(file, `${JSON.stringify([...new Set([...known, ...found])], null, 2)}\n`);
  console.log(`${name}: ${known.length} inputs before, ${new Set([...known, ...found]).size} now`);
  return true;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' } },
});
const all = readdirSync(CORPUS).map((file) => basename(file, '.json'));
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`Unknown target ${unknown.join(', ')}. The targets are ${all.join(', ')}`);
await build();
const sound = (positionals.length > 0 ? positionals : all).map((name) => fuzz(name, values.seconds));
rmSync(work, { recursive: true });
process.exitCode = sound.includes(false) ? 1 : 0;
