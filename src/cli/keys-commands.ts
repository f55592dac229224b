import { signingKeys } from '../../lib/adapter/index.js';
import type { KeyAlgorithm, KeyInfo, SigningKeys } from '../../lib/jose/index.js';
import { type Command, CommandError, type CommandOption, type CommandArguments, type Host, SERVER } from './command.js';

const OPTIONS: Readonly<Record<string, CommandOption>> = {
  ...SERVER,
  tenant: { type: 'string', value: '<id>', description: 'of servers with tenants, that of this one' },
};
const ROTATE: Readonly<Record<string, CommandOption>> = {
  alg: {
    type: 'string',
    value: '<name>',
    description: 'what it is for, such as ES256 or ECDH-ES. Default: the usual one that signs',
  },
  now: {
    type: 'boolean',
    description: 'is used at once: APIs that know the old keys alone refuse what it signs until they look again',
  },
};

/** The keys of a server that its store keeps: those that decrypt are rotated as those that sign are, by the name of their algorithm. */
export const KEYS_COMMANDS: Readonly<Record<string, Command>> = {
  'keys list': {
    description: 'lists the keys that sign and decrypt, the oldest first',
    options: OPTIONS,
    async run(given, host) {
      const keys = await (await keysOf(given, host)).list();
      return { value: keys, lines: keys.map(line) };
    },
  },
  'keys rotate': {
    description: 'makes the next key, which signs or is published as soon as everybody may know it',
    options: { ...ROTATE, ...OPTIONS },
    async run(given, host) {
      const keys = await keysOf(given, host);
      const options = { alg: given.text('alg') as KeyAlgorithm | undefined, now: given.isSet('now') };
      const kid = await keys.rotate(options);
      const made = (await keys.list()).find((key) => key.kid === kid);
      return { value: made, lines: made ? [line(made)] : [] };
    },
  },
  'keys remove': {
    argument: '<kid>',
    description:
      'forgets a key that somebody else has got: what it signed is good no more, what was encrypted to it is not read',
    options: OPTIONS,
    async run(given, host) {
      if (await (await keysOf(given, host)).remove(given.id)) {
        return { value: { kid: given.id }, lines: [`removed  ${given.id}`] };
      }
      throw new CommandError(`There is no key ${JSON.stringify(given.id)}`);
    },
  },
};

const keysOf = async (given: CommandArguments, host: Host): Promise<SigningKeys> =>
  signingKeys(await host.server(given.text('server'), given.text('tenant')));

const line = ({ kid, alg, state, signsFrom }: KeyInfo) => [kid, alg, state, signsFrom.toISOString()].join('\t');
