import { InvalidArgumentError } from '../../errors/index.js';
import type { ClientChanges, ListClientsOptions, ManagedClient, ManagedSecret } from '../../model/clients.js';
import { isValid, type StoredSecret } from './stored-secrets.js';
import type { StoredClient } from '../contract/ports.js';
import type { ClientRecord } from '../contract/client-storage.js';

/**
 * Properties of a `ManagedClient` that cannot be set. When a client is saved, they are ignored, so that a client that
 * `findClient()` returned can be saved again.
 */
const READ_ONLY: readonly string[] = ['createdAt', 'disabledAt', 'secrets'];
const SECRET: readonly string[] = ['id', 'secret', 'secretHashes'];

/**
 * Returns a new client without its secrets and read-only properties. The caller adds the hashes of the secrets before
 * it is stored.
 */
export function newStoredClient(client: StoredClient): StoredClient {
  const { secret, secretHashes, ...rest } = client;
  return without(rest, READ_ONLY) as unknown as StoredClient;
}

/**
 * Returns a client with changed fields. Fields whose new value is `null` or `undefined` are removed. Read-only
 * properties are ignored.
 * @throws {InvalidArgumentError} If the changes contain another `id`, or secrets.
 */
export function changedClient(client: StoredClient, changes: ClientChanges<StoredClient>): StoredClient {
  const fields = without(changes, READ_ONLY);
  for (const name of SECRET) {
    if (name in fields && !(name === 'id' && fields[name] === client.id)) {
      const how =
        name === 'id'
          ? 'the `id` of a client cannot be changed'
          : `\`${name}\` cannot be changed here. Use \`rotateClientSecret()\``;
      throw new InvalidArgumentError(`Invalid argument: ${how}`);
    }
  }
  const changed: Record<string, unknown> = { ...client, ...without(fields, SECRET) };
  for (const [name, value] of Object.entries(fields)) if ((value ?? undefined) === undefined) delete changed[name];
  return changed as unknown as StoredClient;
}

/**
 * Returns a client as administrators see it: with the creation and expiry times of its secrets, but without the secrets
 * and their hashes.
 */
export function managedClient({ client, createdAt, readAt: now }: ClientRecord): ManagedClient<StoredClient> {
  const { secret = [], secretHashes = [], disabledAt, registration, ...rest } = client;
  const storedSecrets = [...[secret].flat(), ...secretHashes.filter((each) => isValid(each, now))];
  const managed: ManagedClient<StoredClient> = { ...rest, secrets: storedSecrets.map(managedSecret) };
  managed.createdAt = new Date(createdAt);
  if (isDisabled(client)) managed.disabledAt = new Date(disabledAt!);
  return managed;
}

/** Whether a client is disabled. */
export const isDisabled = ({ disabledAt }: StoredClient): boolean => disabledAt !== undefined && disabledAt !== null;

/**
 * Returns the options of `listClients()` with their defaults.
 * @throws {InvalidArgumentError} If `limit` is not an integer from 1 to 1000.
 */
export function parseListOptions({ after = '', limit = 100, ...filter }: ListClientsOptions) {
  if (!(Number.isInteger(limit) && limit > 0 && limit <= 1000)) {
    throw new InvalidArgumentError('Invalid argument: `limit` must be an integer from 1 to 1000');
  }
  return { after, limit, ...filter };
}

/** Whether a client matches the search text and the wanted state, enabled or disabled, of the list options. */
export function matchesListOptions(
  client: ManagedClient<StoredClient>,
  { search, disabled }: ListClientsOptions,
): boolean {
  if (disabled !== undefined && disabled !== (client.disabledAt !== undefined)) return false;
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

function managedSecret(storedSecret: StoredSecret): ManagedSecret {
  const managed: ManagedSecret = {};
  if (typeof storedSecret === 'string') return managed;
  if (storedSecret.createdAt !== undefined) managed.createdAt = new Date(storedSecret.createdAt);
  if (storedSecret.expiresAt !== undefined) managed.expiresAt = new Date(storedSecret.expiresAt);
  return managed;
}

function without(fields: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
