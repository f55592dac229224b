import Sequencer from '@jest/test-sequencer';

/**
 * The slowest test files, the slowest first. Without its cache, as in a clean clone, Jest orders files by size, so that
 * one of these would run alone at the end. The files of `test:package` and `test:first-contact` are at the end of the list.
 */
const LONG = [
  'browser/site',
  'src/schematics/written-application',
  'src/schematics/add',
  'stores/every-store/single-use',
  'processes/crash',
  'processes/vault-crash',
  'processes/races',
  'kit/storage-contract',
  'stores/sql-contract',
  'stores/every-store/clients',
  'attack-lab/faults',
  'stores/every-store/grants',
  'stores/every-store/users',
  'docs/attacks/enumeration',
  'stores/sql-races',
  'stores/mongoose-contract',
  'src/mcp-clients/mcp-clients',
  'src/features/request-scoped-model-on-every-store',
  'src/features/authorization-details-on-every-store',
  'src/openid/ciba-on-every-store',
  'stores/query-plans',
  'attack-lab/variants',
  'src/hosts/hosts',
  'attack-lab/samples',
  'lib/hostile-requests',
  'stores/redis-user-endings',
  'src/schematics/prompts',
  'stores/batched-lookups',
  'lib/options/editors',
  'src/maintenance',
  'src/openid/back-channel-logout',
  'src/accounts/links',
  'lib/openid/notifications',
  'src/elicitation/url-elicitation',
  'src/pages/login-throttle',
  'attack-lab/attack-lab',
  'stores/redis-cluster',
  'kit/slow-machine',
  'stores/drizzle-synchronous',
  'lib/jose/signature-differences',
  'kit/broken-storages',
  'src/accounts/attacks',
  'src/accounts/accounts',
  'src/transports/transports',
  'lib/interleavings',
  'stores/redis-contract',
  'src/bad-input/non-string',
  'stores/outages',
  'stores/redis',
  'kit/broken-models',
  'code-blocks',
  'conformance/host',
  'package/nest-add-11',
  'package/pages',
  'package/nest-11',
  'package/nest-add-12',
  'package/sqlite',
  'package/readme',
  'package/nest',
  'package/prove',
  'first-contact/samples',
  'first-contact/npm-start',
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
