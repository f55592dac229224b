import { PERSONAL_TOKENS } from '../../lib/internal.js';
import {
  type Command,
  type CommandArguments,
  CommandError,
  type CommandOption,
  type CommandTarget,
  SERVER,
  UsageError,
} from './command.js';

const OWNER: Readonly<Record<string, CommandOption>> = {
  user: { type: 'string', value: '<id>', description: 'the user whose tokens they are. Required' },
  ...SERVER,
  tenant: { type: 'string', value: '<id>', description: 'the tenant, if each tenant has its own server' },
};

/** The commands that list and revoke the personal access tokens of a user. */
export const TOKENS_COMMANDS: Readonly<Record<string, Command>> = {
  'tokens list': {
    description: 'lists the personal access tokens of a user',
    options: OWNER,
    async run(args, target) {
      const user = ownerIn(args);
      const tokens = await (await tokensOf(args, target)).list(user);
      return {
        value: { tokens },
        table: {
          columns: ['token', 'name', 'scope', 'last used', 'expires'],
          rows: tokens.map(({ id, name, scope, lastUsedAt, expiresAt }) => [id, name, scope, lastUsedAt, expiresAt]),
          empty: 'No personal access tokens.',
        },
        lines: [],
      };
    },
  },
  'tokens end': {
    argument: '[token id]',
    description: 'revokes a personal access token of a user, or all of them with --all',
    options: { ...OWNER, all: { type: 'boolean', description: 'all tokens of the user' } },
    async run(args, target) {
      const user = ownerIn(args);
      if ((args.id === '') !== args.isSet('all')) throw new UsageError('Add the id of a token, or --all.');
      const tokens = await tokensOf(args, target);
      const ids = args.isSet('all') ? (await tokens.list(user)).map(({ id }) => id) : [args.id];
      let count = 0;
      for (const id of ids) if (await tokens.revoke(user, id, 'application', 'grants')) count += 1;
      if (count === 0 && args.id !== '') throw new CommandError(`The user has no token ${JSON.stringify(args.id)}`);
      return { value: { ended: count }, lines: [`ended  ${count}`] };
    },
  },
};

/** @throws {UsageError} If no user is given. */
function ownerIn(args: CommandArguments): { id: string } {
  const id = args.text('user');
  if (!id) throw new UsageError('Add --user <id>.');
  return { id };
}

/** @throws {CommandError} If the server has no personal access tokens. */
async function tokensOf(args: CommandArguments, target: CommandTarget) {
  const { context } = await target.server(args.text('server'), args.text('tenant'));
  const tokens = context.find(PERSONAL_TOKENS);
  if (tokens) return tokens;
  throw new CommandError(
    'The server has no personal access tokens: add `personalAccessTokens()` or `accounts({ personalAccessTokens })`.',
  );
}
