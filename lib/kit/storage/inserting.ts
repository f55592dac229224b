import type { Row, RowKinds, StoredRow } from '../../stores/contract/storage.js';
import { assert } from '../contract.js';
import { account, passkeyOf } from './erasing.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import { pastTime, type StorageContext } from './storage-context.js';

/** The checks of `insertRow()`, `removeRow()` and `listRows()`. */
export const INSERTING: readonly StorageCheck[] = [
  ...checksOf('insertRow', {
    'inserts a row of an active grant, unless its key is taken': insertsOnce,
    'inserts nothing for a grant that is not active': needsGrant,
    'replaces a row that has expired, or whose grant was revoked or erased': replacesInactive,
  }),
  ...checksOf('removeRow', { 'removes a row only if its grant and data are unchanged': removesUnchanged }),
  ...checksOf('listRows', {
    'returns the unused, unexpired rows of the kinds, and no others': listsRows,
    'returns no rows of a revoked grant': listsActive,
  }),
  ...checksOf(
    'insertRow',
    {
      'returns true to exactly one of many concurrent callers': racesInserts,
      'replaces a row of a revoked grant for exactly one of many concurrent callers': racesReplacements,
    },
    { race: true },
  ),
  ...checksOf(
    'removeRow',
    {
      'returns true to exactly one of many concurrent callers': racesRemovals,
      'and insertRow() together leave the row that the last of them has inserted': racesBoth,
      'and insertRow() of another grant never both keep the row': racesMoves,
    },
    { race: true },
  ),
];

/** Number of concurrent calls of a race. */
const RACERS = 200;

async function insertsOnce(context: StorageContext): Promise<void> {
  const [one, other] = [await account(context), await account(context)];
  const row = passkeyOf(context, one);
  assert(await context.storage.insertRow(row), '`insertRow()` did not insert a new row.');
  const found = await context.present(row, 'that was inserted');
  const isWhole = found.grantId === one.id && found.data === row.data && found.userId === one.userId;
  assert(isWhole, '`find()` returns an inserted row with other fields.');
  for (const next of [row, { ...row, data: '{"n":2}' }, passkeyOf(context, other, { digest: row.digest })]) {
    assert(!(await context.other.insertRow(next)), '`insertRow()` inserted a row whose key is taken.');
  }
  const same = await context.present(row, 'whose key a later `insertRow()` used again');
  assert(same.grantId === one.id && same.data === row.data, '`insertRow()` changed the row that has its key.');
  const ofKind = passkeyOf(context, other, { digest: row.digest, kind: 'identity' });
  assert(await context.storage.insertRow(ofKind), 'A row of another kind took the key.');
}

async function needsGrant(context: StorageContext): Promise<void> {
  const revoked = await account(context);
  await context.storage.revokeGrants({ kinds: ['account'], grantId: revoked.id });
  const inactive = [
    [context.grant({ kind: 'account' }), 'does not exist'],
    [revoked, 'was revoked'],
  ] as const;
  for (const [grant, problem] of inactive) {
    const row = passkeyOf(context, grant);
    assert(!(await context.other.insertRow(row)), `\`insertRow()\` inserted a row whose grant ${problem}.`);
    await context.absent(row, `whose grant ${problem}`);
  }
}

async function replacesInactive(context: StorageContext): Promise<void> {
  const [one, revoked, erased] = [await account(context), await account(context), await account(context)];
  const rows = [
    [passkeyOf(context, one, { expiresAt: pastTime() }), 'has expired'],
    [passkeyOf(context, revoked), 'belongs to a revoked grant'],
    [passkeyOf(context, erased), 'belongs to an erased grant'],
  ] as const;
  for (const [row] of rows) await context.storage.insertRow(row);
  await context.storage.revokeGrants({ kinds: ['account'], grantId: revoked.id });
  await context.storage.eraseGrants({ kinds: ['account'], grantId: erased.id }, 10);
  for (const [row, state] of rows) {
    const next = passkeyOf(context, one, { digest: row.digest, data: '{"again":1}' });
    assert(await context.other.insertRow(next), `\`insertRow()\` did not replace a row that ${state}.`);
    const found = await context.present(next, `that replaced a row that ${state}`);
    const isNew = found.grantId === one.id && found.data === next.data && found.revokedAt === null;
    assert(isNew, `\`insertRow()\` left fields of a row that ${state}.`);
  }
}

async function removesUnchanged(context: StorageContext): Promise<void> {
  const [one, other] = [await account(context), await account(context)];
  const row = passkeyOf(context, one);
  await context.storage.insertRow(row);
  const used = passkeyOf(context, one);
  await context.storage.insertRow(used);
  await context.storage.consume(used.kind, used.digest);
  const different = [
    { ...row, data: '{"n":2}' },
    { ...row, data: null },
    passkeyOf(context, other, { digest: row.digest }),
    passkeyOf(context, one),
    used,
  ];
  for (const each of different)
    assert(!(await context.other.removeRow(each)), '`removeRow()` removed another or a used row.');
  await context.present(row, 'that `removeRow()` did not select');
  assert(await context.storage.update(row, { ...row, data: '{"n":3}' }), '`update()` did not change an inserted row.');
  assert(!(await context.other.removeRow(row)), '`removeRow()` removed a row whose data was changed.');
  const found = await context.present(row, 'whose data was changed');
  assert(await context.other.removeRow(found), '`removeRow()` did not remove a row.');
  await context.absent(row, 'that was removed');
  assert(await context.storage.insertRow(row), '`removeRow()` did not free the key of the row.');
}

const digestsOf = (rows: readonly Row[]): string =>
  rows
    .map(({ kind, digest }) => `${kind} ${digest}`)
    .toSorted()
    .join();

async function listsRows(context: StorageContext): Promise<void> {
  const [one, other] = [await account(context), await account(context)];
  const kinds: RowKinds = ['passkey', 'totp', 'identity'];
  const kept = kinds.flatMap((kind) => [passkeyOf(context, one, { kind }), passkeyOf(context, one, { kind })]);
  const [used, expired, removed] = [passkeyOf(context, one), passkeyOf(context, one), passkeyOf(context, one)];
  expired.expiresAt = pastTime();
  for (const row of [...kept, used, expired, removed, passkeyOf(context, other)]) await context.storage.insertRow(row);
  await context.storage.consume(used.kind, used.digest);
  await context.storage.removeRow(removed);
  for (const some of [kinds, ['totp'], ['passkey', 'identity'], ['password']] as RowKinds[]) {
    const listed: StoredRow[] = await context.other.listRows(one.id, some);
    const expected = kept.filter(({ kind }) => some.includes(kind));
    const text = `\`listRows()\` of the kinds ${some.join(', ')} returned ${listed.length} of ${expected.length} rows`;
    assert(digestsOf(listed) === digestsOf(expected), `${text}, or other rows.`);
    const isWhole = listed.every(({ grantId, data, revokedAt }) => grantId === one.id && data && revokedAt === null);
    assert(isWhole, '`listRows()` returns rows with other fields than `find()`.');
  }
  assert((await context.other.listRows(context.id(), kinds)).length === 0, '`listRows()` found rows of no grant.');
}

async function listsActive(context: StorageContext): Promise<void> {
  const grant = await account(context);
  await context.storage.insertRow(passkeyOf(context, grant));
  await context.storage.revokeGrants({ kinds: ['account'], grantId: grant.id });
  const { length } = await context.other.listRows(grant.id, ['passkey']);
  assert(length === 0, '`listRows()` returned rows of a revoked grant.');
}

async function racesInserts(context: StorageContext): Promise<void> {
  const grants = [await account(context), await account(context)];
  const row = passkeyOf(context, grants[0]!);
  const rows = grants.map((grant) => passkeyOf(context, grant, { digest: row.digest }));
  const results = await context.race((storage, index) => storage.insertRow(rows[index % 2]!), RACERS);
  const winners = results.filter(Boolean).length;
  assert(winners === 1, `\`insertRow()\` returned true to ${winners} of ${RACERS} concurrent callers with one key.`);
  const found = await context.present(row, 'that was inserted by one of many callers');
  assert(found.grantId === rows[results.indexOf(true) % 2]!.grantId, 'The row belongs to a caller that got false.');
}

async function racesReplacements(context: StorageContext): Promise<void> {
  const [old, next] = [await account(context), await account(context)];
  const row = passkeyOf(context, old);
  await context.storage.insertRow(row);
  await context.storage.revokeGrants({ kinds: ['account'], grantId: old.id });
  const replacement = { ...row, grantId: next.id, userId: next.userId };
  const results = await context.race((storage) => storage.insertRow(replacement), RACERS);
  const winners = results.filter(Boolean).length;
  assert(winners === 1, `\`insertRow()\` replaced a row for ${winners} of ${RACERS} concurrent callers.`);
}

async function racesRemovals(context: StorageContext): Promise<void> {
  const row = passkeyOf(context, await account(context));
  await context.storage.insertRow(row);
  const results = await context.race((storage) => storage.removeRow(row), RACERS);
  const winners = results.filter(Boolean).length;
  assert(winners === 1, `\`removeRow()\` returned true to ${winners} of ${RACERS} concurrent callers.`);
}

async function racesBoth(context: StorageContext): Promise<void> {
  const row = passkeyOf(context, await account(context));
  await context.storage.insertRow(row);
  const change = (storage: StorageContext['storage'], index: number) =>
    index % 2 === 0 ? storage.removeRow(row) : storage.insertRow(row);
  const results = await context.race(change, RACERS);
  const count = (parity: number) => results.filter((result, index) => result && index % 2 === parity).length;
  const left = 1 + count(1) - count(0);
  const isFound = (await context.find(row)) !== undefined;
  const { length } = await context.other.listRows(row.grantId, ['passkey']);
  const isConsistent = (left === 0 || left === 1) && isFound === (left === 1) && length === left;
  assert(isConsistent, `After ${count(1)} insertions and ${count(0)} removals of a row, ${length} rows are listed.`);
}

async function racesMoves(context: StorageContext): Promise<void> {
  const [from, to] = [await account(context), await account(context)];
  const row = passkeyOf(context, from);
  const moved = { ...row, grantId: to.id, userId: to.userId };
  await context.storage.insertRow(row);
  const results = await context.race(
    (storage, index) => (index === RACERS / 2 ? storage.removeRow(row) : storage.insertRow(moved)),
    RACERS,
  );
  assert(results[RACERS / 2], '`removeRow()` did not remove a row while others tried to take its key.');
  const winners = results.filter(Boolean).length - 1;
  assert(winners <= 1, `\`insertRow()\` returned true to ${winners} concurrent callers after one removal.`);
  const found = await context.find(row);
  assert((winners === 1) === (found?.grantId === to.id), 'The row does not belong to the caller that got true.');
}
