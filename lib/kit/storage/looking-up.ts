import { setImmediate as turn } from 'node:timers/promises';

import { assert } from '../contract.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import type { StorageContext } from './storage-context.js';

const CURRENT = 'observes every write that was acknowledged before the call, during other look-ups';

/** The checks of concurrent look-ups, which a storage may combine in one statement. */
export const LOOKING_UP: readonly StorageCheck[] = [
  ...checksOf(
    'find',
    { 'returns to each of many concurrent callers the row of its key': findsOwnRows },
    { race: true },
  ),
  ...checksOf('find', { [CURRENT]: findsCurrentRows }, { race: true }),
  ...checksOf(
    'hasGrant',
    { 'returns to each of many concurrent callers whether its grant is active': hasOwnGrants },
    { race: true },
  ),
  ...checksOf(
    'listGrants',
    { 'returns to each of many concurrent callers the grants of its user': listsOwnGrants },
    { race: true },
  ),
  ...checksOf(
    'readText',
    { 'returns to each of many concurrent callers the text of its name': readsOwnTexts },
    { race: true },
  ),
  ...checksOf(
    'findClient',
    {
      'returns to each of many concurrent callers the client of its ID': findsOwnClients,
      [CURRENT]: findsCurrentClients,
    },
    { race: true, clients: true },
  ),
];

/** Number of writes that a check observes during look-ups. */
const WRITES = 20;
/** Number of look-ups that are under way during these writes. */
const READERS = 4;

/** Returns indexes in an order that is neither that of the writes nor its reverse. */
const mixed = (length: number): number[] =>
  Array.from({ length }, (_, index) => index).toSorted((a, b) => (a % 7) - (b % 7) || b - a);

async function findsOwnRows(context: StorageContext): Promise<void> {
  const grant = context.grant();
  const rows = Array.from({ length: context.parallel }, (_, index) => {
    const row = context.row(grant, { data: `{"n":${index}}` });
    return [row, { ...row, kind: 'access' as const, data: `{"n":"access ${index}"}` }];
  }).flat();
  const unknown = Array.from({ length: 5 }, () => context.row(grant));
  await context.storage.save(grant, rows);
  const requested = [...rows, ...unknown, ...rows.slice(0, 10)];
  const keys = mixed(requested.length).map((index) => requested[index]!);
  const found = await Promise.all(
    keys.map(async ({ kind, digest }) => (await context.other.find(kind, digest)) ?? null),
  );
  for (const [index, row] of keys.entries()) {
    const one = found[index];
    const isRight = unknown.includes(row) ? !one : one?.kind === row.kind && one.data === row.data;
    assert(isRight, '`find()` returned a wrong row, or none, to one of many concurrent callers.');
  }
  const objects = found.filter((one) => one !== null);
  const isCopied = new Set(objects).size === objects.length;
  assert(isCopied, '`find()` returned one object to two concurrent callers. Each must get a copy.');
}

async function findsCurrentRows(context: StorageContext): Promise<void> {
  const grant = context.grant();
  const rows = Array.from({ length: WRITES }, () => context.row(grant));
  await context.storage.save(grant, []);
  const { storage, other } = context;
  for (const [index, row] of rows.entries()) {
    const writer = index % 2 ? storage : other;
    const read = async () => (await storage.find(row.kind, row.digest)) ?? undefined;
    const saved = await duringReads(read, () => writer.save(grant, [row]));
    assert(saved, '`find()` does not return a row that was saved during another look-up.');
    const used = await duringReads(read, () => writer.consume(row.kind, row.digest));
    const isUsed = used !== undefined && used.revokedAt !== null;
    assert(isUsed, '`find()` returns a row as unused that was used during another look-up.');
  }
  const row = rows[0]!;
  const read = async () => (await storage.find(row.kind, row.digest)) ?? undefined;
  const revoked = await duringReads(read, () => other.revokeGrants({ kinds: ['tokens'], grantId: grant.id }));
  assert(!revoked, '`find()` returns a row whose grant was revoked during another look-up.');
}

/** Runs a write while look-ups of the same key are under way. Returns the result of a look-up that begins after it. */
async function duringReads<T>(read: () => Promise<T>, write: () => unknown): Promise<T> {
  const state = { isWritten: false };
  const readers = Array.from({ length: READERS }, async () => {
    while (!state.isWritten) {
      await read();
      // A storage that reads from memory would otherwise leave no time for the write.
      await turn();
    }
  });
  try {
    await write();
    return await read();
  } finally {
    state.isWritten = true;
    await Promise.allSettled(readers);
  }
}

async function hasOwnGrants(context: StorageContext): Promise<void> {
  const grants = Array.from({ length: context.parallel }, () => context.grant());
  for (const [index, grant] of grants.entries()) if (index % 3) await context.storage.save(grant, []);
  await ownOf(
    context,
    'hasGrant()',
    grants,
    async ({ id }, index) => (await context.other.hasGrant(id)) === index % 3 > 0,
  );
}

async function listsOwnGrants(context: StorageContext): Promise<void> {
  const grants = Array.from({ length: context.parallel }, () => context.grant());
  for (const grant of grants) await context.storage.save(grant, []);
  await ownOf(context, 'listGrants()', grants, async ({ id, userId }) => {
    const listed = await context.other.listGrants(userId!, ['tokens']);
    return listed.length === 1 && listed[0]!.id === id;
  });
}

async function readsOwnTexts(context: StorageContext): Promise<void> {
  const names = Array.from({ length: context.parallel }, () => context.id());
  for (const [index, name] of names.entries())
    if (index % 3) await context.storage.replaceText(name, undefined, `text ${name}`);
  await ownOf(context, 'readText()', names, async (name, index) => {
    return (await context.other.readText(name)) === (index % 3 ? `text ${name}` : undefined);
  });
}

async function findsOwnClients(context: StorageContext): Promise<void> {
  const clients = Array.from({ length: context.parallel }, () => context.client());
  for (const [index, client] of clients.entries())
    if (index % 3) await context.clients.saveClient(client, undefined, false);
  await ownOf(context, 'findClient()', clients, async ({ id }, index) => {
    return (await context.otherClients.findClient(id))?.client.id === (index % 3 ? id : undefined);
  });
}

/** Starts a look-up for each item, in mixed order. Each must return what belongs to its own item. */
async function ownOf<T>(
  { parallel }: StorageContext,
  call: string,
  items: readonly T[],
  isOwn: (item: T, index: number) => Promise<boolean>,
): Promise<void> {
  const results = await Promise.all(mixed(parallel).map((index) => isOwn(items[index]!, index)));
  assert(results.every(Boolean), `\`${call}\` returned a wrong result to one of many concurrent callers.`);
}

async function findsCurrentClients(context: StorageContext): Promise<void> {
  const { clients, otherClients } = context;
  for (let count = 0; count < WRITES; count += 1) {
    const client = context.client();
    const writer = count % 2 ? clients : otherClients;
    const read = async () => (await clients.findClient(client.id)) ?? undefined;
    const saved = await duringReads(read, () => writer.saveClient(client, undefined, false));
    assert(saved, '`findClient()` does not return a client that was saved during another look-up.');
    const removed = await duringReads(read, () => writer.removeClient(client.id));
    assert(!removed, '`findClient()` returns a client that was removed during another look-up.');
  }
}
