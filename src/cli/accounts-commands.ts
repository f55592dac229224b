import { DUE_DELETIONS } from '../accounts/deletion/due-deletions.js';
import { FACTOR_RESET } from '../accounts/factors/factor-reset.js';
import { type Command, CommandError, SERVER } from './command.js';

/** The commands about the accounts of users. */
export const ACCOUNTS_COMMANDS: Readonly<Record<string, Command>> = {
  'accounts reset': {
    argument: '<user id>',
    description:
      'removes the second factors of a user who has lost all of them, and ends the sessions of the user; verify who asks for it',
    options: { ...SERVER, tenant: { type: 'string', value: '<id>', description: 'the tenant of the user' } },
    async run(args, target) {
      const { context } = await target.server(args.text('server'), args.text('tenant'));
      const accounts = context.find(FACTOR_RESET);
      if (!accounts) throw new CommandError('The server has no second factors of `accounts()`.');
      const removed = await accounts.reset(args.id);
      if (!removed) throw new CommandError(`There is no user ${JSON.stringify(args.id)}`);
      return { value: { removed }, lines: [`removed  ${removed.length === 0 ? 'nothing' : removed.join(', ')}`] };
    },
  },
  'accounts finish': {
    description:
      'deletes the accounts whose grace period has ended; with tenants, run it for each, since the application only does it for those in use',
    options: { ...SERVER, tenant: { type: 'string', value: '<id>', description: 'the tenant of the users' } },
    async run(args, target) {
      const { context } = await target.server(args.text('server'), args.text('tenant'));
      const deletions = context.find(DUE_DELETIONS);
      if (!deletions) throw new CommandError('`deletion` of `accounts()` is not set.');
      const deleted = await deletions.finishDue();
      return { value: { deleted }, lines: [`deleted  ${deleted}`] };
    },
  },
};
