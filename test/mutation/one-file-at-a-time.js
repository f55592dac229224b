import { readFileSync, writeFileSync } from 'node:fs';

import { strykerPlugins as plugins } from '@stryker-mutator/jest-runner';

const [jest] = plugins;

/** The file that keeps the result of the first run for runners that start later. */
const FIRST_RUN = process.env.MUTATION_FIRST_RUN;

const isAlive = ({ status }) => status === 'survived';

/**
 * Creates a test runner that, for each mutant, loads only the files whose tests cover it, one after the other until a
 * test fails. The runner of StrykerJS loads all files for each mutant, and skips the other tests in them.
 */
function runner(injector) {
  const inner = jest.factory(injector);
  const { jestTestAdapter: adapter } = inner;
  const run = adapter.run.bind(adapter);
  const dryRun = inner.dryRun.bind(inner);
  const mutantRun = inner.mutantRun.bind(inner);
  // How many mutants of a source file a test file has killed.
  const kills = new Map();
  let testFiles;

  adapter.run = (settings) => run(testFiles ? { ...settings, testFiles } : settings);

  inner.dryRun = async (options) => {
    testFiles = undefined;
    const result = await dryRun(options);
    const files = {};
    for (const { id, fileName, timeSpentMs } of result.tests ?? []) (files[id] ??= {})[fileName] = timeSpentMs;
    writeFileSync(FIRST_RUN, JSON.stringify(files));
    return result;
  };

  inner.mutantRun = async (options) => {
    const files = JSON.parse(readFileSync(FIRST_RUN, 'utf8'));
    const times = new Map();
    for (const id of options.testFilter ?? Object.keys(files))
      for (const [file, time] of Object.entries(files[id])) times.set(file, (times.get(file) ?? 0) + time);
    const killsOf = (file) => kills.get(`${options.activeMutant.fileName} ${file}`) ?? 0;
    const ordered = [...times].toSorted(
      ([one, time], [other, otherTime]) => killsOf(other) - killsOf(one) || time - otherTime,
    );
    let result;
    for (const [file] of ordered) {
      testFiles = [file];
      result = await mutantRun(options);
      if (isAlive(result)) continue;
      kills.set(`${options.activeMutant.fileName} ${file}`, killsOf(file) + 1);
      break;
    }
    return result;
  };
  return inner;
}
runner.inject = jest.factory.inject;

export const strykerPlugins = [{ ...jest, name: 'one-file-at-a-time', factory: runner }];
