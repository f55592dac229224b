import Sequencer from '@jest/test-sequencer';

/**
 * The slowest test files, the slowest first. Without its cache, as in a clean clone, Jest orders files by size, so that
 * one of these would run alone at the end.
 */
const LONG = [
  'browser/site',
  'processes/crash',
  'stores/sql-contract',
  'stores/mongoose-contract',
  'stores/skewed-clocks',
  'stores/pushed-requests',
  'stores/sql-races',
  'src/features/every-store',
  'stores/registrations',
  'processes/two-processes',
  'stores/not-before',
  'src/schematics/add',
  'src/transports/transports',
  'stores/atomic-redemption',
  'stores/redis-cluster',
  'src/openid/ciba',
  'src/maintenance',
  'kit/storage-contract',
  'stores/managed-clients',
  'lib/interleavings',
  'stores/batched-lookups',
  'stores/redis-contract',
  'src/bad-input/non-string',
  'src/form-deadline',
  'stores/outages',
  'stores/login-cost',
  'src/features/authorization-details',
  'stores/redis',
  'lib/openid/notifications',
  'code-blocks',
  'conformance/host',
  'kit/broken-models',
];

/** Returns the position of a test file in the list. Files that are not in the list come last. */
const positionOf = ({ path }) => {
  const position = LONG.findIndex((name) => path.replaceAll('\\', '/').includes(`/test/${name}.`));
  return position === -1 ? LONG.length : position;
};

/** Runs the slowest test files first. */
export default class LongestFirst extends Sequencer {
  async sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- This is the method of the sequencer, not of an array.
    const sorted = await super.sort(tests);
    return sorted.toSorted((one, other) => positionOf(one) - positionOf(other));
  }
}
