import type { Client, ClientList, ListClientsOptions, ManagedClient, OAuth2Clients } from '../../lib/index.js';
import { CLIENT_OPTIONS, fieldsOf, LIST_OPTIONS, OVERLAP, SECRET_LIFETIME, UNSET } from './client-options.js';
import {
  type CommandResult,
  type Command,
  CommandError,
  type CommandArguments,
  type CommandTarget,
  SERVER,
  UsageError,
} from './command.js';
import type { Table } from './table.js';

const ID = '<client id>';
const ONCE = "Copy it now: it won't be shown again.";

/** The commands that administer the clients of a server. */
export const CLIENTS_COMMANDS: Readonly<Record<string, Command>> = {
  'clients create': {
    argument: '[client id]',
    description: 'creates a client, with a secret unless it is public',
    options: { ...CLIENT_OPTIONS, 'secret-lifetime': SECRET_LIFETIME, ...SERVER },
    async run(args, target) {
      const fields = fieldsOf(args) as Partial<Client>;
      verifyRedirectUris(fields);
      const options = { secretLifetime: args.number('secret-lifetime') };
      const client = { ...fields, grants: fields.grants ?? [], ...(args.id && { id: args.id }) };
      const created = await (await clientsOf(args, target)).create(client, options);
      const secret = created.secret === undefined ? [] : ['', `secret  ${created.secret}`, ONCE];
      return { value: created, lines: [...describeClient(created.client), ...secret] };
    },
  },
  'clients list': {
    description: 'lists the clients',
    options: { ...LIST_OPTIONS, ...SERVER },
    async run(args, target) {
      const clients = await clientsOf(args, target);
      const isOnly = args.isSet('disabled') !== args.isSet('active');
      const filter = { search: args.text('search'), disabled: isOnly ? args.isSet('disabled') : undefined };
      const limit = args.number('limit');
      const options = { ...filter, after: args.text('after'), limit: limit ?? 1000 };
      const listed = await (limit === undefined ? allOf(clients, options) : clients.list(options));
      const more = listed.next === undefined ? [] : ['', `There are more: --after ${listed.next}`];
      return { value: listed, table: tableOf(listed.clients), lines: more };
    },
  },
  'clients show': {
    argument: ID,
    description: 'shows a client, without its secrets',
    options: SERVER,
    async run(args, target) {
      return resultFor(args, await (await clientsOf(args, target)).find(args.id));
    },
  },
  'clients change': {
    argument: ID,
    description: 'changes the given fields of a client; a given list replaces the whole stored list',
    options: { ...CLIENT_OPTIONS, unset: UNSET, ...SERVER },
    async run(args, target) {
      const removed = (args.list('unset') ?? []).map((name) => [name, null] as const);
      const changes = { ...Object.fromEntries(removed), ...fieldsOf(args) };
      return resultFor(args, await (await clientsOf(args, target)).change(args.id, changes));
    },
  },
  'clients rotate': {
    argument: ID,
    description: 'issues a new client secret; the previous ones stay valid for the time of --overlap',
    options: { overlap: OVERLAP, 'secret-lifetime': SECRET_LIFETIME, ...SERVER },
    async run(args, target) {
      const options = { overlap: args.number('overlap'), secretLifetime: args.number('secret-lifetime') };
      const rotated = assertFound(args, await (await clientsOf(args, target)).rotateSecret(args.id, options));
      return { value: rotated, lines: [`secret  ${rotated.secret}`, ONCE] };
    },
  },
  'clients disable': methodCommand(
    'disable',
    'disables a client and revokes everything issued to it; its registration is kept',
  ),
  'clients enable': methodCommand('enable', 'enables a disabled client; its revoked grants and tokens stay revoked'),
  'clients remove': methodCommand('remove', 'deletes a client and revokes everything issued to it'),
};

/** @throws {UsageError} If a grant of a new client needs a redirect URI, and there is none. RFC 6749 §3.1.2 */
function verifyRedirectUris({ grants, redirectUris }: Partial<Client>): void {
  const grant = grants?.find((each) => each === 'authorization_code' || each === 'implicit');
  if (grant !== undefined && !redirectUris?.length)
    throw new UsageError(`\`--grant ${grant}\` requires the redirect URI of the client: add --redirect-uri <uri>`);
}

function methodCommand(method: 'disable' | 'enable' | 'remove', description: string): Command {
  return {
    argument: ID,
    description,
    options: SERVER,
    async run(args, target) {
      assertFound(args, await (await clientsOf(args, target))[method](args.id));
      return { value: { id: args.id }, lines: [`${method}d  ${args.id}`] };
    },
  };
}

async function allOf(clients: OAuth2Clients, options: ListClientsOptions): Promise<ClientList> {
  const page = await clients.list(options);
  if (page.next === undefined) return page;
  const rest = await allOf(clients, { ...options, after: page.next });
  return { clients: [...page.clients, ...rest.clients] };
}

const clientsOf = (args: CommandArguments, target: CommandTarget) => target.clients(args.text('server'));

function resultFor(args: CommandArguments, client: ManagedClient | undefined): CommandResult {
  return { value: assertFound(args, client), lines: describeClient(client!) };
}

function assertFound<T>({ id }: CommandArguments, result: T): NonNullable<T> {
  if (!result) throw new CommandError(`There is no client ${JSON.stringify(id)}`);
  return result;
}

const tableOf = (clients: readonly ManagedClient[]): Table => ({
  columns: ['client', 'name', 'grants', 'state'],
  rows: clients.map(({ id, name, grants, disabledAt }: ManagedClient & { name?: string }) => {
    return [id, name, grants.join(' '), disabledAt ? 'disabled' : ''];
  }),
  empty: 'No clients.',
});

function describeClient(client: ManagedClient): string[] {
  const fields = Object.entries(client).filter(([, value]) => value !== undefined);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${format(value)}`);
}

function format(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
