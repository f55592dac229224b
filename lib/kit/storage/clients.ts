import type { ClientRecord } from '../../stores/contract/client-storage.js';
import type { StoredClient } from '../../stores/contract/ports.js';
import { assert } from '../contract.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import { CLIENT_KINDS } from '../../stores/contract/grant-kinds.js';
import type { StorageContext } from './storage-context.js';

const clients = true;

/** The checks of `ClientStorage`. */
export const CLIENTS: readonly StorageCheck[] = [
  ...checksOf(
    'findClient',
    { 'returns the saved client with the hashes of its secrets, also if it is disabled': findsClient },
    { clients },
  ),
  ...checksOf(
    'saveClient',
    {
      'saves nothing if the client has changed since it was read': comparesClient,
      'revokes the grants of the client only with `revokesGrants`': revokesGrants,
      'gives a new client no grants of a removed client with its ID': separatesClients,
    },
    { clients },
  ),
  ...checksOf('saveClient', { 'returns true to one of many concurrent callers': savesOnce }, { race: true, clients }),
  ...checksOf(
    'addNewClient',
    { 'adds a client unless its ID is or was in use, and keeps grants': addsNew },
    { clients },
  ),
  ...checksOf('addNewClient', { 'returns true to one of many concurrent callers': addsOnce }, { race: true, clients }),
  ...checksOf('removeClient', { 'removes a client with its grants and remembers the ID': removesClient }, { clients }),
  ...checksOf('listClients', { 'returns pages in the order of the bytes of the IDs': listsClients }, { clients }),
  ...checksOf('readClock', { 'returns milliseconds since the epoch': readsClock }),
];

/** Saves a new client and returns it as another process reads it. */
async function savedClient(context: StorageContext, more?: Partial<StoredClient>): Promise<ClientRecord> {
  const client = context.client(more);
  const done = await context.clients.saveClient(client, undefined, false);
  assert(done, '`saveClient()` did not return true for a new client.');
  return record(context, client.id);
}

/** Returns a client as another process reads it. */
async function record(context: StorageContext, id: string): Promise<ClientRecord> {
  const found = await context.otherClients.findClient(id);
  assert(found, '`findClient()` does not return a client that was saved.');
  return found;
}

async function findsClient(context: StorageContext): Promise<void> {
  const before = await context.storage.readClock();
  const secretHashes = [{ hash: 'new $1 \'"\\', createdAt: 1, expiresAt: 2 }, 'old'];
  const saved = { name: 'Zoë 漢字 😀', redirectUris: ['https://a.example/?a=1&b=%20'], secretHashes, disabledAt: 5 };
  const { client, createdAt, readAt } = await savedClient(context, saved);
  for (const [field, value] of Object.entries(saved)) {
    const isSame = JSON.stringify(client[field as keyof StoredClient]) === JSON.stringify(value);
    assert(isSame, `\`findClient()\` returns another \`${field}\` than the one that was saved.`);
  }
  const areTimes = context.isClose(createdAt, before) && context.isClose(readAt, before);
  assert(areTimes, `\`createdAt\` ${createdAt} or \`readAt\` ${readAt} is not the time of the database, ${before}.`);
  const none = await context.otherClients.findClient(context.id());
  assert(none === undefined, '`findClient()` must return undefined for an unknown ID.');
}

async function comparesClient(context: StorageContext): Promise<void> {
  const first = await savedClient(context);
  const { client } = first;
  const save = (name: string, previous: ClientRecord | undefined) =>
    context.clients.saveClient({ ...client, name }, previous, false);
  assert(!(await save('new', undefined)), '`saveClient()` without `previous` replaced a client.');
  assert(await save('second', first), '`saveClient()` returned false for an unchanged client.');
  assert(!(await save('stale', first)), '`saveClient()` replaced a client that had changed meanwhile.');
  const second = await record(context, client.id);
  assert(second.client.name === 'second', '`saveClient()` returned false, but changed the client.');
  assert(second.createdAt === first.createdAt, '`saveClient()` changed `createdAt` of a client.');
  assert(first.client.name === undefined, 'A later change altered an object that `findClient()` had returned.');
  const hashes = { ...second.client, secretHashes: ['new'] };
  assert(await context.clients.saveClient(hashes, second, false), '`saveClient()` did not save new hashes of secrets.');
  assert(!(await save('third', second)), '`saveClient()` replaced hashes of secrets that had changed meanwhile.');
  const third = await record(context, client.id);
  await context.clients.removeClient(client.id);
  assert(!(await save('removed', third)), '`saveClient()` with `previous` saved a client that was removed.');
}

async function revokesGrants(context: StorageContext): Promise<void> {
  const first = await savedClient(context);
  const { client } = first;
  const { row } = await context.saved({ clientId: client.id });
  await context.clients.saveClient({ ...client, name: 'a' }, first, false);
  await context.present(row, 'of a client that was saved without `revokesGrants`');
  await context.clients.saveClient({ ...client, name: 'b' }, first, true);
  await context.present(row, 'of a client that `saveClient()` with `revokesGrants` could not save');
  await context.clients.saveClient({ ...client, name: 'c' }, await record(context, client.id), true);
  await context.absent(row, 'of a client that was saved with `revokesGrants`');
  const { row: later } = await context.saved({ clientId: client.id });
  await context.present(later, 'that was saved after `saveClient()` with `revokesGrants`');
  const added = context.client();
  const { row: earlier } = await context.saved({ clientId: added.id });
  await context.clients.saveClient(added, undefined, true);
  await context.absent(earlier, 'of a client that was added with `revokesGrants`');
}

async function separatesClients(context: StorageContext): Promise<void> {
  const { client } = await savedClient(context);
  const clientId = client.id;
  const { row } = await context.saved({ clientId });
  await context.clients.removeClient(clientId);
  const { row: late } = await context.saved({ clientId });
  const done = await context.clients.saveClient({ ...client, name: 'new' }, undefined, false);
  assert(done, '`saveClient()` must save a new client whose ID belonged to a removed client.');
  for (const each of [row, late]) await context.absent(each, 'of a removed client, for the new client with its ID');
  const { row: next } = await context.saved({ clientId });
  await context.present(next, 'of a new client whose ID belonged to a removed client');
}

async function savesOnce(context: StorageContext): Promise<void> {
  const client = context.client();
  for (const previous of [undefined, 'stored']) {
    const read = previous && (await record(context, client.id));
    const winner = await context.oneWinner('saveClient()', (storage, index) =>
      storage.saveClient({ ...client, name: `${previous} ${index}` }, read || undefined, index % 2 === 1),
    );
    const { name } = (await record(context, client.id)).client;
    assert(name === `${previous} ${winner}`, '`saveClient()` saved the client of a caller that got false.');
  }
}

async function addsNew(context: StorageContext): Promise<void> {
  const client = context.client({ name: 'added' });
  const { row } = await context.saved({ clientId: client.id });
  assert(await context.clients.addNewClient(client), '`addNewClient()` returned false for a new ID.');
  assert((await record(context, client.id)).client.name === 'added', '`addNewClient()` did not save the client.');
  await context.present(row, 'that was saved before `addNewClient()` added its client');
  assert(!(await context.clients.addNewClient(client)), '`addNewClient()` replaced a client.');
  await context.clients.removeClient(client.id);
  assert(!(await context.clients.addNewClient(client)), '`addNewClient()` added a client that was removed.');
  const revoked = context.client();
  await context.storage.revokeGrants({ kinds: CLIENT_KINDS, clientId: revoked.id });
  const done = await context.clients.addNewClient(revoked);
  assert(done, '`addNewClient()` returned false for an ID whose grants were revoked before.');
}

async function addsOnce(context: StorageContext): Promise<void> {
  const client = context.client();
  const winner = await context.oneWinner('addNewClient()', (storage, index) =>
    storage.addNewClient({ ...client, name: String(index) }),
  );
  const { name } = (await record(context, client.id)).client;
  assert(name === String(winner), '`addNewClient()` saved the client of a caller that got false.');
}

async function removesClient(context: StorageContext): Promise<void> {
  const { client } = await savedClient(context);
  for (const [id, existed] of [[client.id, true] as const, [context.id(), false] as const]) {
    const { row } = await context.saved({ clientId: id });
    const text = existed ? 'a client' : 'an ID without a client';
    const result = await context.clients.removeClient(id);
    assert(result === existed, `\`removeClient()\` of ${text} returned ${result}.`);
    await context.absent(row, `after \`removeClient()\` of ${text}`);
    assert((await context.otherClients.findClient(id)) === undefined, '`findClient()` returns a removed client.');
    const isAdded = await context.otherClients.addNewClient(context.client({ id }));
    assert(!isAdded, `\`addNewClient()\` accepted an ID after \`removeClient()\` of ${text}.`);
  }
  const { clients: listed } = await context.otherClients.listClients(client.id.slice(0, -1), 1);
  assert(listed[0]?.client.id !== client.id, '`listClients()` returns a removed client.');
}

async function listsClients(context: StorageContext): Promise<void> {
  const prefix = context.id();
  // In the order of their bytes in UTF-8.
  const ids = ['A', 'B ', 'B!', 'a', 'z', 'ä', '\uFF5E', '😀'].map((end) => prefix + end);
  for (const id of ids.toReversed()) await savedClient(context, { id, ...(id === ids[1] && { disabledAt: 1 }) });
  const read: string[] = [];
  let after: string | undefined = prefix;
  for (let page = 0; after?.startsWith(prefix) === true; page += 1) {
    const { clients: found, next }: Awaited<ReturnType<typeof context.otherClients.listClients>> =
      await context.otherClients.listClients(after, 3);
    assert(found.length <= 3 && page < 30, '`listClients()` returned more clients than its limit, or endless pages.');
    read.push(...found.map(({ client }) => client.id));
    after = next;
  }
  const own = read.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
  const expected = ids.map((id) => id.slice(prefix.length));
  assert(own.join() === expected.join(), `\`listClients()\` returned ${own.join()} instead of ${expected.join()}.`);
}

async function readsClock(context: StorageContext): Promise<void> {
  const [one, other] = [await context.storage.readClock(), await context.other.readClock()];
  const isTime = Number.isFinite(one) && Math.abs(one - Date.now()) < 86_400_000 && other >= one - 1000;
  assert(isTime, `\`readClock()\` returned ${one} and then ${other}.`);
}
