import type { ListedGrant, ListedSession } from '../../lib/index.js';
import {
  type Command,
  CommandError,
  type CommandOption,
  type CommandArguments,
  type CommandTarget,
  SERVER,
  UsageError,
} from './command.js';
import type { Table } from './table.js';

const text = (value: string, about: string): CommandOption => ({ type: 'string', value, description: about });
const TENANT = text('<id>', 'the tenant, if each tenant has its own issuer');
const SELECTION: Readonly<Record<string, CommandOption>> = {
  user: text('<id>', 'only grants or sessions of this user'),
  client: text('<id>', 'only grants of this client, or sessions with a sign-in at this client'),
  issuer: text('<url>', 'only of this issuer'),
  ...SERVER,
  tenant: TENANT,
};
const PAGING: Readonly<Record<string, CommandOption>> = {
  limit: text('<count>', 'maximum number of entries, 1 to 1000. If omitted, all are listed'),
  after: text('<place>', 'continues after the previous page, which prints this value'),
};

/** The commands that list and end the grants and sessions of users, and the command `revoke`. */
export const GRANTS_COMMANDS: Readonly<Record<string, Command>> = {
  'grants list': {
    description: 'lists the grants of a user, of a client, or of a user at a client',
    options: { ...SELECTION, ...PAGING },
    async run(args, target) {
      const selection = selectionOf(args);
      const grants = await grantsOf(args, target);
      const { items, next } = await paged(args, async (paging) => {
        const page = await grants.list({ ...selection, ...paging });
        return { items: page.grants, next: page.next };
      });
      return {
        value: { grants: items, ...(next !== undefined && { next }) },
        table: grantsTable(items),
        lines: more(next),
      };
    },
  },
  'grants end': {
    description:
      'revokes grants with all their tokens and consents; with --user alone, also ends the sessions of the user',
    options: { id: text('<grant id>', 'only the grant with this id'), ...SELECTION },
    async run(args, target) {
      const grantId = args.text('id');
      const selection = { ...selectionOf(args, grantId), ...(grantId !== undefined && { grantId }) };
      const count = await (await grantsOf(args, target)).end(selection);
      if (grantId !== undefined && count === 0) throw new CommandError(`There is no grant ${JSON.stringify(grantId)}`);
      return { value: { ended: count }, lines: [`ended  ${count}`] };
    },
  },
  'sessions list': {
    description: 'lists the sessions of a user, those with a sign-in at a client, or those that match both',
    options: { ...SELECTION, ...PAGING },
    async run(args, target) {
      const selection = selectionOf(args);
      const grants = await grantsOf(args, target);
      const { items, next } = await paged(args, async (paging) => {
        const page = await grants.listSessions({ ...selection, ...paging });
        return { items: page.sessions, next: page.next };
      });
      return {
        value: { sessions: items, ...(next !== undefined && { next }) },
        table: sessionsTable(items),
        lines: more(next),
      };
    },
  },
  'sessions end': {
    description: 'ends sessions, and notifies clients by back-channel logout',
    options: { id: text('<session id>', 'only this session of the user'), ...SELECTION },
    async run(args, target) {
      const id = args.text('id');
      const count = await (
        await grantsOf(args, target)
      ).endSessions({ ...selectionOf(args), ...(id !== undefined && { id }) });
      if (id !== undefined && count === 0) throw new CommandError(`There is no session ${JSON.stringify(id)}`);
      return { value: { ended: count }, lines: [`ended  ${count}`] };
    },
  },
  revoke: {
    description: 'revokes everything issued before a moment: codes, tokens, sessions, device codes, pushed requests',
    options: {
      before: text('<moment>', 'a date and time with a time zone, such as 2026-03-01T12:00:00Z, or `now`'),
      consents: { type: 'boolean', description: 'also deletes remembered consents, so that users are asked again' },
      issuer: text('<url>', 'only of this issuer'),
      all: {
        type: 'boolean',
        description: 'includes every issuer in the store, instead of only the issuer of the server',
      },
      ...SERVER,
      tenant: TENANT,
    },
    async run(args, target) {
      const [before, issuer] = [momentOf(args.text('before')), args.text('issuer')];
      const grants = await target.grants(args.text('server'), args.text('tenant'));
      const moment = await grants.revokeBefore({
        ...(before !== undefined && { before }),
        ...(issuer !== undefined && { issuer }),
        all: args.isSet('all'),
        consents: args.isSet('consents'),
      });
      return { value: { before: moment }, lines: [`revoked everything issued before  ${moment.toISOString()}`] };
    },
  },
};

const grantsOf = (args: CommandArguments, target: CommandTarget) =>
  target.grants(args.text('server'), args.text('tenant'));

/**
 * Returns the filter for grants and sessions.
 * @throws {UsageError} If neither a user nor a client nor a grant is given.
 */
function selectionOf(args: CommandArguments, grantId?: string) {
  const [userId, clientId, issuer] = [args.text('user'), args.text('client'), args.text('issuer')];
  if (!userId && !clientId && !grantId) throw new UsageError('Add --user <id> or --client <id>.');
  return { ...(userId && { userId }), ...(clientId && { clientId }), ...(issuer && { issuer }) };
}

/**
 * Parses the value of `--before`. Returns `undefined` for `now`, which the clock of the store determines. A time zone
 * is required, so that the result does not depend on the machine.
 * @throws {UsageError} If the value is missing, or is not a date and time with a time zone.
 */
function momentOf(value: string | undefined): Date | undefined {
  if (value === 'now') return undefined;
  const moment = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(value ?? '') ? new Date(value!) : undefined;
  if (moment && Number.isFinite(moment.getTime())) return moment;
  throw new UsageError('`--before` must be a date and time with a time zone, such as 2026-03-01T12:00:00Z, or `now`');
}

/** Reads one page if `--limit` is given, otherwise all pages. Starts after the entry in `--after`, if given. */
async function paged<T>(
  args: CommandArguments,
  read: (paging: { limit: number; after?: string }) => Promise<{ items: T[]; next?: string | undefined }>,
): Promise<{ items: T[]; next?: string | undefined }> {
  const limit = args.number('limit');
  const items: T[] = [];
  for (let after = args.text('after'); ;) {
    const page = await read({ limit: limit ?? 1000, ...(after !== undefined && { after }) });
    items.push(...page.items);
    if (limit !== undefined || page.next === undefined) return { items, next: page.next };
    after = page.next;
  }
}

const more = (next: string | undefined) => (next === undefined ? [] : ['', `There are more: --after ${next}`]);

const grantsTable = (grants: readonly ListedGrant[]): Table => ({
  columns: ['grant', 'user', 'client', 'scope', 'last used', 'expires'],
  rows: grants.map(({ id, userId, clientId, scope, lastUsedAt, expiresAt }) => {
    return [id, userId, clientId, scope, lastUsedAt, expiresAt];
  }),
  empty: 'No grants.',
});

const sessionsTable = (sessions: readonly ListedSession[]): Table => ({
  columns: ['session', 'user', 'methods', 'signed in', 'expires'],
  rows: sessions.map(({ id, userId, amr = [], authTime, expiresAt }) => {
    return [id, userId, amr.join(' '), authTime, expiresAt];
  }),
  empty: 'No sessions.',
});
