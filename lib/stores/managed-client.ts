import { InvalidArgumentError } from '../errors/index.js';
import type { ClientChanges, ListClientsOptions, ManagedClient, ManagedSecret } from '../model/clients.js';
import { isValid, type StoredSecret } from './stored-secrets.js';
import type { StoredClient } from './ports.js';
import type { ClientRecord } from './storage.js';

/** What is told of a client, and never kept as it is given: so that what was found may be saved. */
const TOLD: readonly string[] = ['createdAt', 'retiredAt', 'secrets'];
const SECRET: readonly string[] = ['id', 'secret', 'secretHashes'];

/** A client without its secrets, as it is kept when it is new. */
export function newStoredClient(client: StoredClient): StoredClient {
  const { secret, secretHashes, ...rest } = client;
  return without(rest, TOLD) as unknown as StoredClient;
}

/** @throws InvalidArgumentError for what is not changed like this */
export function changedClient(client: StoredClient, changes: ClientChanges<StoredClient>): StoredClient {
  const given = without(changes, TOLD);
  for (const name of SECRET) {
    if (name in given && !(name === 'id' && given[name] === client.id)) {
      const how = name === 'id' ? 'the `id` of a client stays' : `\`${name}\` is changed by \`rotateClientSecret()\``;
      throw new InvalidArgumentError(`Invalid argument: ${how}`);
    }
  }
  const changed: Record<string, unknown> = { ...client, ...without(given, SECRET) };
  for (const [name, value] of Object.entries(given)) if ((value ?? undefined) === undefined) delete changed[name];
  return changed as unknown as StoredClient;
}

/** A client as its administrator sees it. */
export function managedClient({ client, createdAt, readAt: now }: ClientRecord): ManagedClient<StoredClient> {
  const { secret = [], secretHashes = [], retiredAt, registration, ...rest } = client;
  const kept = [...[secret].flat(), ...secretHashes.filter((each) => isValid(each, now))];
  const managed: ManagedClient<StoredClient> = { ...rest, secrets: kept.map(managedSecret) };
  managed.createdAt = new Date(createdAt);
  if (isDisabled(client)) managed.retiredAt = new Date(retiredAt!);
  return managed;
}

/** Is it refused everywhere? */
export const isDisabled = ({ retiredAt }: StoredClient): boolean => retiredAt !== undefined && retiredAt !== null;

/** @throws InvalidArgumentError for a limit that is none */
export function parseListOptions({ after = '', limit = 100, ...filter }: ListClientsOptions) {
  if (!(Number.isInteger(limit) && limit > 0 && limit <= 1000)) {
    throw new InvalidArgumentError('Invalid argument: `limit` must be 1 to 1000');
  }
  return { after, limit, ...filter };
}

/** Is it one of those that are looked for? */
export function matchesListOptions(
  client: ManagedClient<StoredClient>,
  { search, disabled: retired }: ListClientsOptions,
): boolean {
  if (retired !== undefined && retired !== (client.retiredAt !== undefined)) return false;
  const text = search?.toLowerCase();
  return (
    !text ||
    [client.id, client.name].some((each) =>
      String(each ?? '')
        .toLowerCase()
        .includes(text),
    )
  );
}

function managedSecret(kept: StoredSecret): ManagedSecret {
  const told: ManagedSecret = {};
  if (typeof kept === 'string') return told;
  if (kept.createdAt !== undefined) told.createdAt = new Date(kept.createdAt);
  if (kept.expiresAt !== undefined) told.expiresAt = new Date(kept.expiresAt);
  return told;
}

function without(given: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}
