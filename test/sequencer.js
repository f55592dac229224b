import Sequencer from '@jest/test-sequencer';

/**
 * The slowest test files, with seconds on an idle machine with two cores. Without its cache, as in a clean clone, Jest
 * orders files by size, so that one of these would run alone at the end.
 */
const LONG = [
  'browser/site',
  'processes/crash',
  'processes/two-processes',
  'stores/skewed-clocks',
  'stores/redis-cluster',
  'stores/sql-races',
  'stores/not-before',
  'stores/pushed-requests',
  'src/transports/transports',
  'stores/sql-contract',
  'kit/broken-models',
  'src/bad-input/non-string',
  'conformance/host',
  'src/form-deadline',
  'stores/redis-contract',
];

/** Runs the slowest test files first. */
export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const isLong = ({ path }) => LONG.some((name) => path.replaceAll('\\', '/').includes(`/test/${name}.`));
    // oxlint-disable-next-line unicorn/no-array-sort -- This is the method of the sequencer, not of an array.
    const sorted = await super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
