import { signingKeys } from '../../lib/internal.js';
import type { KeyAlgorithm, KeyInfo, SigningKeys } from '../../lib/jose/index.js';
import {
  type Command,
  CommandError,
  type CommandOption,
  type CommandArguments,
  type CommandTarget,
  SERVER,
} from './command.js';
import type { Table } from './table.js';

const OPTIONS: Readonly<Record<string, CommandOption>> = {
  ...SERVER,
  tenant: { type: 'string', value: '<id>', description: 'the tenant, if each tenant has its own server' },
};
const ROTATE: Readonly<Record<string, CommandOption>> = {
  alg: {
    type: 'string',
    value: '<name>',
    description: 'the algorithm of the key, such as ES256 or ECDH-ES. Default: the default signing algorithm',
  },
  now: {
    type: 'boolean',
    description: 'uses the key at once: APIs with cached keys reject its signatures until they refetch the keys',
  },
};

/**
 * The commands for the stored keys of a server. Decryption keys are rotated like signing keys, by the name of their
 * algorithm.
 */
export const KEYS_COMMANDS: Readonly<Record<string, Command>> = {
  'keys list': {
    description: 'lists the signing and decryption keys, oldest first',
    options: OPTIONS,
    async run(args, target) {
      const keys = await (await keysOf(args, target)).list();
      return { value: keys, table: tableOf(keys), lines: [] };
    },
  },
  'keys rotate': {
    description: 'creates the next key; it is used once caches of the old keys have expired',
    options: { ...ROTATE, ...OPTIONS },
    async run(args, target) {
      const keys = await keysOf(args, target);
      const options = { alg: args.text('alg') as KeyAlgorithm | undefined, now: args.isSet('now') };
      const kid = await keys.rotate(options);
      const made = (await keys.list()).find((key) => key.kid === kid);
      return { value: made, table: tableOf(made ? [made] : []), lines: [] };
    },
  },
  'keys remove': {
    argument: '<kid>',
    description:
      'removes a compromised key: its signatures become invalid, and data encrypted to it can no longer be decrypted',
    options: OPTIONS,
    async run(args, target) {
      if (await (await keysOf(args, target)).remove(args.id)) {
        return { value: { kid: args.id }, lines: [`removed  ${args.id}`] };
      }
      throw new CommandError(`There is no key ${JSON.stringify(args.id)}`);
    },
  },
};

const keysOf = async (args: CommandArguments, target: CommandTarget): Promise<SigningKeys> =>
  signingKeys(await target.server(args.text('server'), args.text('tenant')));

const tableOf = (keys: readonly KeyInfo[]): Table => ({
  columns: ['key', 'algorithm', 'state', 'signs from'],
  rows: keys.map(({ kid, alg, state, signsFrom }) => [kid, alg, state, signsFrom]),
  empty: 'No keys.',
});
