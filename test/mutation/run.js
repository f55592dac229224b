// Measures the mutation score of folders with StrykerJS: `npm run mutation -- lib/tokens --lines=200 --seed=1`.
// A mutant is a small change of the code, such as `<` for `<=`. It is killed if a test fails. --lines mutates a random
// sample of lines. Without a folder, the program measures all folders.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { CLOSED_SERVERS } from '../../.ci/closed-servers.js';
import { FOLDERS } from './folders.js';

const INSTALL = 'npm install --no-save @stryker-mutator/core@10.0.0 @stryker-mutator/jest-runner@10.0.0';

const BIN = 'node_modules/@stryker-mutator/core/bin/stryker.js';

/** A generator of numbers from 0 to 1, which are the same for the same seed (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns random lines of code of the files, in the form that StrykerJS reads: `file.ts:10-10`. */
function sampleOf(files, count, seed) {
  const lines = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        /^\s*(?:$|\/?\*|\/\/|import |\})/.test(line) ? [] : [`${file}:${index + 1}-${index + 1}`],
      ),
  );
  const random = randomNumbers(seed);
  const keyed = lines.map((line) => [random(), line]).toSorted(([one], [other]) => one - other);
  return keyed.slice(0, count).map(([, line]) => line);
}

/** Mutates a folder and returns its mutants. */
function mutantsOf(folder, { lines, at, seed, concurrency }) {
  const { files, tests } = FOLDERS[folder];
  const work = mkdtempSync(join(tmpdir(), 'mutation-'));
  const report = join(work, 'report.json');
  const sources = globSync(files).toSorted();
  const config = {
    testRunner: 'one-file-at-a-time',
    plugins: ['@stryker-mutator/jest-runner', join(import.meta.dirname, 'one-file-at-a-time.js')],
    testRunnerNodeArgs: ['--expose-gc', '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    jest: { projectType: 'custom', configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
    mutate: at ?? (lines ? sampleOf(sources, Number(lines), Number(seed)) : sources),
    // TypeScript 7 has no API that StrykerJS could use.
    tsconfigFile: 'none.json',
    // Texts of messages are judged by the tables of the documentation.
    mutator: { excludedMutations: ['StringLiteral'] },
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    concurrency: Number(concurrency),
    dryRunTimeoutMinutes: 30,
    timeoutMS: 20_000,
    allowEmpty: true,
    reporters: ['json'],
    jsonReporter: { fileName: report },
    tempDirName: join(work, 'copies'),
    ignorePatterns: ['dist', 'sample', 'docs/.vitepress'],
  };
  writeFileSync(join(work, 'stryker.json'), JSON.stringify(config));
  const { status, stdout } = spawnSync(process.execPath, [BIN, 'run', join(work, 'stryker.json')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: {
      ...process.env,
      // The tests of the stores then use memory and SQLite, which run the same shared code.
      ...CLOSED_SERVERS,
      MUTATION_TESTS: tests.join(','),
      MUTATION_FIRST_RUN: join(work, 'first-run.json'),
    },
  });
  // The log names the tests that fail without a mutant.
  if (status !== 0) throw new Error(`StrykerJS failed for ${folder}:\n${stdout}`);
  const found = JSON.parse(readFileSync(report, 'utf8')).files;
  rmSync(work, { recursive: true });
  return Object.entries(found).flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ file, ...mutant })));
}

/** Prints the score of a folder and the mutants that no test killed. */
function judge(folder, mutants) {
  const ofStatus = (...statuses) => mutants.filter(({ status }) => statuses.includes(status));
  const killed = ofStatus('Killed', 'Timeout').length;
  const survivors = ofStatus('Survived', 'NoCoverage');
  const total = killed + survivors.length;
  console.log(`${folder}: ${killed} of ${total} mutants killed, ${((100 * killed) / (total || 1)).toFixed(1)} %`);
  for (const { file, location, mutatorName, replacement, status } of survivors) {
    const text = replacement?.replaceAll(/\s+/g, ' ').slice(0, 80);
    console.log(`  ${file}:${location.start.line}:${location.start.column} ${mutatorName} (${status}): ${text}`);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lines: { type: 'string' },
    at: { type: 'string', multiple: true },
    seed: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '1' },
  },
});
const unknown = positionals.find((folder) => !(folder in FOLDERS));
if (unknown) throw new Error(`${unknown} is not one of ${Object.keys(FOLDERS).join(', ')}`);
if (globSync(BIN).length === 0) throw new Error(`Install StrykerJS first: ${INSTALL}`);
for (const folder of positionals.length > 0 ? positionals : Object.keys(FOLDERS))
  judge(folder, mutantsOf(folder, values));
