import { CLIENT_KINDS } from '../../stores/contract/grant-kinds.js';
import type { GrantRow } from '../../stores/contract/storage.js';
import { withClockOffset } from '../clock.js';
import { assert, SkippedCheck } from '../contract.js';
import { otherSpellings } from '../spellings.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import { keyOf, LIFETIME, type StorageContext } from './storage-context.js';

/** Returns milliseconds after which a record expires in the checks of clock skew: fewer than the clock is changed by. */
const lifetimeFor = ({ options }: StorageContext) => Math.min(LIFETIME, Math.floor((options.skew ?? LIFETIME) / 2));

/** Returns a check of clock skew that is skipped if it fails after its records may have expired. */
const timely =
  (run: StorageCheck['run']): StorageCheck['run'] =>
  async (context) => {
    try {
      await run(context);
    } catch (error) {
      if (context.elapsed < lifetimeFor(context)) throw error;
      throw new SkippedCheck('the calls took longer than half of `skew`');
    }
  };

/** The checks of exact IDs, of clock skew and of a database that cannot be reached. */
export const CONDITIONS: readonly StorageCheck[] = [
  ...checksOf('findClient', { 'compares IDs byte by byte': comparesClientIds }, { clients: true }),
  ...checksOf('revokeGrants', { 'compares IDs byte by byte': comparesGrantIds }),
  ...checksOf('once', { 'uses the clock of the database': timely(remembersBySharedClock) }),
  ...checksOf('count', { 'uses the clock of the database': timely(countsBySharedClock) }),
  ...checksOf('listGrants', { 'uses the clock of the database': timely(listsBySharedClock) }),
  ...checksOf('prune', { 'uses the clock of the database': timely(prunesBySharedClock) }),
  ...checksOf('save', { 'rejects, as every method does, if the database cannot be reached': rejects }),
];

/** IDs that a database could confuse with others, or could not store. */
const DIFFICULT_IDS = ["Id'", 'Id"\\', 'Id\0', 'Id%', 'Id_', 'Idé', 'Id😀', 'Id\uD800', 'Id\n'];

/** Returns IDs that differ from the ID of a saved record. */
const variants = (id: string): string[] => [
  ...otherSpellings(id).map(([, spelling]) => spelling),
  ...DIFFICULT_IDS.map((end) => id + end),
  `${id.slice(0, 1)}\0`,
  id.padEnd(300, 'x'),
];

async function comparesClientIds(context: StorageContext): Promise<void> {
  const id = `Id${context.id()}`;
  await context.clients.saveClient(context.client({ id }), undefined, false);
  for (const other of variants(id)) {
    const found = await context.otherClients.findClient(other);
    assert(found === undefined, `\`findClient()\` found the client ${id} by the ID ${JSON.stringify(other)}.`);
  }
  const ids = ['', ...DIFFICULT_IDS, 'x'.repeat(255 - id.length), 'y'.repeat(300), 'id', 'ID', 'Id ', 'Ide\u0301'];
  for (const saved of ids.slice(1).map((end) => id + end)) {
    const result = await settle(
      context.clients.saveClient(context.client({ id: saved, name: saved }), undefined, false),
    );
    const found = await context.otherClients.findClient(saved);
    const isExact = result === 'rejected' ? found === undefined : result && found?.client.id === saved;
    const text = JSON.stringify(saved);
    assert(isExact, `A client with the ID ${text} must be stored exactly, or rejected. \`saveClient()\`: ${result}.`);
  }
}

/** Returns the result of a call, or `'rejected'`. */
const settle = <T>(result: T): Promise<Awaited<T> | 'rejected'> =>
  Promise.resolve(result).catch(() => 'rejected' as const);

async function comparesGrantIds(context: StorageContext): Promise<void> {
  const id = (): string => `Id${context.id()}`;
  const { grant, row } = await context.saved({ id: id(), userId: id(), clientId: id() });
  for (const other of variants(grant.id)) {
    assert(
      !(await context.other.hasGrant(other)),
      `\`hasGrant(${JSON.stringify(other)})\` found the grant ${grant.id}.`,
    );
    await context.storage.revokeGrants({ kinds: ['tokens'], grantId: other });
  }
  for (const other of variants(grant.userId!)) {
    assert(
      (await context.other.listGrants(other, ['tokens'])).length === 0,
      '`listGrants()` found grants of another user.',
    );
    assert(
      (await context.pages({ kinds: ['tokens'], userId: other }, 5)).length === 0,
      '`pageGrants()` found grants of another user.',
    );
    await context.storage.revokeGrants({ kinds: ['tokens'], userId: other });
  }
  for (const other of variants(grant.clientId))
    await context.storage.revokeGrants({ kinds: CLIENT_KINDS, clientId: other });
  await context.present(row, 'after only grants with other IDs were revoked');
}

/** Runs a call while the clock of the process is ahead, and while it is behind. */
async function withSkew(context: StorageContext, act: (text: string) => Promise<void>): Promise<void> {
  const skew = context.need(context.options.skew, 'skew');
  for (const ahead of [skew, -skew]) {
    await withClockOffset(ahead, () =>
      act(`by a process whose clock is ${Math.abs(ahead)} ms ${ahead > 0 ? 'ahead' : 'behind'}`),
    );
  }
}

async function remembersBySharedClock(context: StorageContext): Promise<void> {
  const digest = context.id();
  const seconds = lifetimeFor(context) / 1000;
  await context.storage.once(digest, seconds);
  await withSkew(context, async (by) => {
    assert(!(await context.other.once(digest, seconds)), `\`once()\` accepted a value again, called ${by}.`);
  });
}

async function countsBySharedClock(context: StorageContext): Promise<void> {
  const [digest, lifetime] = [context.id(), lifetimeFor(context)];
  let { count } = await context.storage.count(digest, lifetime / 1000);
  await withSkew(context, async (by) => {
    const state = await context.other.count(digest, lifetime / 1000);
    count += 1;
    assert(state.count === count, `\`count()\` returned ${state.count} instead of ${count}, called ${by}.`);
    const other = await context.storage.count(context.id(), lifetime / 1000);
    for (const { expiresIn } of [state, other]) {
      assert(
        context.isClose(expiresIn, lifetime),
        `\`expiresIn\` of a window of ${lifetime} ms is ${expiresIn}, called ${by}.`,
      );
    }
  });
}

async function listsBySharedClock(context: StorageContext): Promise<void> {
  const expiresAt = Date.now() + lifetimeFor(context);
  const { grant, row } = await context.saved({ expiresAt }, { expiresAt });
  const { grant: used, row: usedRow } = await context.saved({ expiresAt }, { expiresAt });
  await context.storage.consume(usedRow.kind, usedRow.digest);
  const before = await context.storage.readClock();
  await withSkew(context, async (by) => {
    const [listed] = await context.other.listGrants(grant.userId!, ['tokens']);
    assert(listed?.id === grant.id, `\`listGrants()\` omits an unexpired grant, called ${by}.`);
    const paged = await context.pages({ kinds: ['tokens'], userId: used.userId! }, 5);
    assert(paged.length === 1, `\`pageGrants()\` omits an unexpired grant, called ${by}.`);
    await context.present(row, `that has not expired, called ${by}`);
    const { revokedAgo = 0 } = await context.present(usedRow, `that was used, called ${by}`);
    assert(context.isClose(revokedAgo, 0), `\`revokedAgo\` of a row that was used now is ${revokedAgo}, read ${by}.`);
    const clock = await context.storage.readClock();
    assert(
      context.isClose(clock, before),
      `\`readClock()\` returned ${clock} instead of about ${before}, called ${by}.`,
    );
    const userId = context.id();
    const fresh: GrantRow = context.grant({ userId, expiresAt: Date.now() + 1e9 });
    await context.storage.save(fresh, []);
    const [saved] = await context.other.listGrants(userId, ['tokens']);
    assert(
      saved && context.isClose(saved.createdAt, before),
      `\`createdAt\` is ${saved?.createdAt}, saved ${by} at ${before}.`,
    );
  });
}

async function prunesBySharedClock(context: StorageContext): Promise<void> {
  const lifetime = lifetimeFor(context);
  const expiresAt = Date.now() + lifetime;
  const { row } = await context.saved({ expiresAt }, { expiresAt });
  const digest = context.id();
  await context.storage.once(digest, lifetime / 1000);
  await context.storage.count(digest, lifetime / 1000);
  await withSkew(context, async (by) => {
    await context.other.prune(1000);
    await context.present(row, `that has not expired, after \`prune()\` ${by}`);
  });
  const { count } = await context.other.count(digest, lifetime / 1000, 0);
  assert(count === 1, '`prune()` deleted a counter too early.');
  assert(!(await context.other.once(digest, lifetime / 1000)), '`prune()` deleted a single-use value too early.');
}

async function rejects(context: StorageContext): Promise<void> {
  const storage = context.need(context.subject.unreachable, 'unreachable');
  const grant = context.grant();
  const row = context.row(grant);
  const calls: Record<string, (() => unknown) | undefined> = {
    save: () => storage.save(grant, [row]),
    consumeAndSave: () => storage.consumeAndSave(keyOf(row), grant, [row]),
    find: () => storage.find(row.kind, row.digest),
    consume: () => storage.consume(row.kind, row.digest),
    insertRow: () => storage.insertRow({ ...row, kind: 'passkey' }),
    removeRow: () => storage.removeRow(row),
    listRows: () => storage.listRows(grant.id, ['passkey']),
    eraseGrants: () => storage.eraseGrants({ kinds: ['tokens'], grantId: grant.id }, 5),
    update: () => storage.update(row, row),
    once: () => storage.once(row.digest, 60),
    count: () => storage.count(row.digest, 60),
    readText: () => storage.readText(context.id()),
    replaceText: () => storage.replaceText(context.id(), undefined, 'text'),
    revokeGrants: () => storage.revokeGrants({ kinds: ['tokens'], grantId: grant.id }),
    hasGrant: () => storage.hasGrant(grant.id),
    listGrants: () => storage.listGrants(grant.userId!, ['tokens']),
    pageGrants: () => storage.pageGrants({ kinds: ['tokens'], userId: grant.userId! }, undefined, 5),
    readClock: () => storage.readClock(),
    findClient: storage.findClient && (() => storage.findClient!(grant.clientId)),
    saveClient: storage.saveClient && (() => storage.saveClient!(context.client(), undefined, false)),
    addNewClient: storage.addNewClient && (() => storage.addNewClient!(context.client())),
    removeClient: storage.removeClient && (() => storage.removeClient!(grant.clientId)),
    listClients: storage.listClients && (() => storage.listClients!('', 5)),
  };
  for (const [name, call] of Object.entries(calls)) {
    if (!call) continue;
    const result = await settle(Promise.resolve().then(call));
    assert(result === 'rejected', `\`${name}()\` returned ${JSON.stringify(result)}, although the database failed.`);
  }
}
