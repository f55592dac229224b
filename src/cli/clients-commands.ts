import type { Client, ClientList, ListClientsOptions, ManagedClient, OAuth2Clients } from '../../lib/index.js';
import { CLIENT_OPTIONS, fieldsOf, LIST_OPTIONS, OVERLAP, SECRET_LIFETIME, UNSET } from './client-options.js';
import { type CommandResult, type Command, CommandError, type CommandArguments, type Host, SERVER } from './command.js';

const ID = '<client id>';
const ONCE = "Copy it now: it won't be shown again.";

/** The commands that administer the clients of a server. */
export const CLIENTS_COMMANDS: Readonly<Record<string, Command>> = {
  'clients create': {
    argument: '[client id]',
    description: 'creates a client, with a secret unless it is public',
    options: { ...CLIENT_OPTIONS, 'secret-lifetime': SECRET_LIFETIME, ...SERVER },
    async run(given, host) {
      const fields = fieldsOf(given) as Partial<Client>;
      const options = { secretLifetime: given.number('secret-lifetime') };
      const client = { ...fields, grants: fields.grants ?? [], ...(given.id && { id: given.id }) };
      const created = await (await clientsOf(given, host)).create(client, options);
      const secret = created.secret === undefined ? [] : ['', `secret  ${created.secret}`, ONCE];
      return { value: created, lines: [...described(created.client), ...secret] };
    },
  },
  'clients list': {
    description: 'lists the clients',
    options: { ...LIST_OPTIONS, ...SERVER },
    async run(given, host) {
      const clients = await clientsOf(given, host);
      const isOnly = given.isSet('retired') !== given.isSet('active');
      const filter = { search: given.text('search'), disabled: isOnly ? given.isSet('retired') : undefined };
      const limit = given.number('limit');
      const options = { ...filter, after: given.text('after'), limit: limit ?? 1000 };
      const listed = await (limit === undefined ? allOf(clients, options) : clients.list(options));
      const more = listed.next === undefined ? [] : ['', `There are more: --after ${listed.next}`];
      return { value: listed, lines: [...listed.clients.map(line), ...more] };
    },
  },
  'clients show': {
    argument: ID,
    description: 'shows a client, without its secrets',
    options: SERVER,
    async run(given, host) {
      return shown(given, await (await clientsOf(given, host)).find(given.id));
    },
  },
  'clients change': {
    argument: ID,
    description: 'changes the given fields; a list replaces the stored list',
    options: { ...CLIENT_OPTIONS, unset: UNSET, ...SERVER },
    async run(given, host) {
      const gone = (given.list('unset') ?? []).map((name) => [name, null] as const);
      const changes = { ...Object.fromEntries(gone), ...fieldsOf(given) };
      return shown(given, await (await clientsOf(given, host)).change(given.id, changes));
    },
  },
  'clients rotate': {
    argument: ID,
    description: 'issues a new client secret; the previous one stays valid for a while',
    options: { overlap: OVERLAP, 'secret-lifetime': SECRET_LIFETIME, ...SERVER },
    async run(given, host) {
      const options = { overlap: given.number('overlap'), secretLifetime: given.number('secret-lifetime') };
      const rotated = known(given, await (await clientsOf(given, host)).rotateSecret(given.id, options));
      return { value: rotated, lines: [`secret  ${rotated.secret}`, ONCE] };
    },
  },
  'clients retire': ending('retire', 'disables a client and revokes everything issued to it; its registration is kept'),
  'clients restore': ending('restore', 'enables a disabled client; what was revoked stays revoked'),
  'clients remove': ending('remove', 'deletes a client and revokes everything issued to it'),
};

/** The methods of `OAuth2Clients` that the commands call. */
const METHODS = { retire: 'disable', restore: 'enable', remove: 'remove' } as const;

function ending(verb: 'retire' | 'restore' | 'remove', about: string): Command {
  return {
    argument: ID,
    description: about,
    options: SERVER,
    async run(given, host) {
      known(given, await (await clientsOf(given, host))[METHODS[verb]](given.id));
      return { value: { id: given.id }, lines: [`${verb}d  ${given.id}`] };
    },
  };
}

async function allOf(clients: OAuth2Clients, options: ListClientsOptions): Promise<ClientList> {
  const page = await clients.list(options);
  if (page.next === undefined) return page;
  const rest = await allOf(clients, { ...options, after: page.next });
  return { clients: [...page.clients, ...rest.clients] };
}

const clientsOf = (given: CommandArguments, host: Host) => host.clients(given.text('server'));

function shown(given: CommandArguments, client: ManagedClient | undefined): CommandResult {
  return { value: known(given, client), lines: described(client!) };
}

function known<T>({ id }: CommandArguments, found: T): NonNullable<T> {
  if (!found) throw new CommandError(`There is no client ${JSON.stringify(id)}`);
  return found;
}

const line = ({ id, retiredAt, ...client }: ManagedClient) =>
  [id, (client as { name?: unknown }).name ?? '', client.grants.join(' '), retiredAt ? 'retired' : '']
    .join('\t')
    .trimEnd();

function described(client: ManagedClient): string[] {
  const said = Object.entries(client).filter(([, value]) => value !== undefined);
  const width = Math.max(...said.map(([name]) => name.length));
  return said.map(([name, value]) => `${name.padEnd(width)}  ${written(value)}`);
}

function written(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
