import type { Row } from '../../stores/contract/storage.js';
import { assert } from '../contract.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import { keyOf, LIFETIME, type StorageContext } from './storage-context.js';

/** The checks of `consume()` and `consumeAndSave()`. */
export const CONSUMING: readonly StorageCheck[] = [
  ...checksOf('consume', {
    'marks a row as used, and the row is still found': marksAsUsed,
    'returns false for an unknown or used row': refusesConsumed,
  }),
  ...checksOf('consume', { 'returns true to one of many concurrent callers': consumesOnce }, { race: true }),
  ...checksOf('consumeAndSave', {
    'marks a row as used, saves the new rows and extends the grant': replacesRow,
    'saves nothing if the row is unknown or used': savesNothing,
    'does both or neither if a new row cannot be saved': isAtomic,
    'returns true for a revoked grant, and its new rows stay invisible': keepsRevoked,
  }),
  ...checksOf(
    'consumeAndSave',
    {
      'returns true to one of many concurrent callers and saves only its rows': savesRowsOfWinner,
      'returns true to one of many concurrent callers of both methods': consumesOnceByBoth,
    },
    { race: true },
  ),
];

async function marksAsUsed(context: StorageContext): Promise<void> {
  const { row } = await context.saved();
  assert(await context.storage.consume(row.kind, row.digest), '`consume()` returned false for an unused row.');
  const found = await context.present(row, 'that was marked as used');
  assert(
    context.isClose(found.revokedAt ?? 0, Date.now()),
    `\`revokedAt\` of a row that was used now is ${found.revokedAt}.`,
  );
  assert(found.data === row.data, '`consume()` changed the data of the row.');
}

async function refusesConsumed(context: StorageContext): Promise<void> {
  const { row } = await context.saved();
  await context.storage.consume(row.kind, row.digest);
  assert(!(await context.other.consume(row.kind, row.digest)), '`consume()` used a row twice.');
  const unknown = context.row(context.grant());
  assert(!(await context.storage.consume('code', unknown.digest)), '`consume()` used a row that is unknown.');
}

async function consumesOnce(context: StorageContext): Promise<void> {
  const { row } = await context.saved();
  await context.oneWinner('consume()', (storage) => storage.consume(row.kind, row.digest));
}

async function replacesRow(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved({ lastUsedAt: null });
  const first = context.row(grant, { kind: 'refresh' });
  const second = [context.row(grant, { kind: 'access' }), context.row(grant, { kind: 'refresh' })];
  const used = { ...grant, lastUsedAt: Date.now(), expiresAt: Date.now() + 2 * LIFETIME };
  const done = await context.storage.consumeAndSave(keyOf(row), used, [first]);
  assert(done, '`consumeAndSave()` did not return true for an unused row.');
  const { kind, digest } = first;
  await context.storage.consumeAndSave({ kind, digest, data: '{"next":"ü"}' }, used, second);
  const isMarked = async (each: Row, data: string | null) => {
    const found = await context.present(each, 'that was replaced');
    assert(found.revokedAt !== null, '`consumeAndSave()` did not mark the row as used.');
    assert(found.data === data, `The data of a used row must be ${data} and is ${found.data}.`);
  };
  await isMarked(row, row.data);
  await isMarked(first, '{"next":"ü"}');
  for (const each of second) await context.present(each, 'that `consumeAndSave()` saved');
  const [extended] = await context.pages({ kinds: ['tokens'], grantId: grant.id }, 10);
  assert(
    extended &&
      context.isClose(extended.expiresAt, used.expiresAt) &&
      context.isClose(extended.lastUsedAt ?? 0, used.lastUsedAt),
    '`consumeAndSave()` did not extend `expiresAt` and `lastUsedAt` of the grant.',
  );
}

async function savesNothing(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved();
  await context.storage.consume(row.kind, row.digest);
  for (const consumed of [row, context.row(grant)]) {
    const { kind, digest } = consumed;
    const saved = context.row(grant, { kind: 'access' });
    const done = await context.storage.consumeAndSave({ kind, digest, data: 'changed' }, grant, [saved]);
    assert(!done, '`consumeAndSave()` did not return false for a row that is unknown or already used.');
    await context.absent(saved, 'that a failed `consumeAndSave()` was to save');
  }
  const { data } = await context.present(row, 'that was used');
  assert(data === row.data, 'A failed `consumeAndSave()` changed the data of the used row.');
}

async function isAtomic(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved();
  const { row: stored } = await context.saved({}, { kind: 'access' });
  const free = context.row(grant, { kind: 'refresh' });
  // The second row has a key that exists. Most databases reject it. A storage may also replace the row.
  const rows = [free, { ...stored, grantId: grant.id }];
  const result = await Promise.resolve(context.storage.consumeAndSave(keyOf(row), grant, rows)).catch(() => undefined);
  const isUsed = (await context.present(row, 'that was to be replaced')).revokedAt !== null;
  const isSaved = (await context.find(free)) !== undefined;
  assert(
    isUsed === isSaved && isUsed === (result === true),
    `A new row had a key that exists. The call ${result === undefined ? 'rejected' : `returned ${result}`}, the old row ` +
      `is ${isUsed ? 'used' : 'unused'}, the new row is ${isSaved ? 'saved' : 'not saved'}.`,
  );
}

async function keepsRevoked(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved();
  await context.storage.revokeGrants({ kinds: ['tokens'], grantId: grant.id });
  const next = context.row(grant, { kind: 'access' });
  const done = await context.storage.consumeAndSave(keyOf(row), grant, [next]);
  await context.absent(next, 'that was saved for a revoked grant');
  assert(!(await context.other.hasGrant(grant.id)), '`consumeAndSave()` made a revoked grant active.');
  assert(done, '`consumeAndSave()` did not return true for an unused row of a revoked grant.');
}

async function savesRowsOfWinner(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved();
  const { kind, digest } = row;
  const saved: Row[] = [];
  const winner = await context.oneWinner('consumeAndSave()', (storage, index) => {
    saved[index] = context.row(grant, { kind: 'access' });
    return storage.consumeAndSave({ kind, digest, data: String(index) }, grant, [saved[index]]);
  });
  for (const [index, each] of saved.entries()) {
    if (index === winner) await context.present(each, 'of the caller that got true');
    else await context.absent(each, 'of a caller that got false');
  }
  const { data } = await context.present(row, 'that was used');
  assert(data === String(winner), 'The used row has the data of a caller that got false.');
}

async function consumesOnceByBoth(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved();
  await context.oneWinner('consume()` and `consumeAndSave()', (storage, index) =>
    index % 2 === 0
      ? storage.consume(row.kind, row.digest)
      : storage.consumeAndSave(keyOf(row), grant, [context.row(grant, { kind: 'access' })]),
  );
}
