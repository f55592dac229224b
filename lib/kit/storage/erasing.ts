import type { GrantRow, Row } from '../../stores/contract/storage.js';
import { assert } from '../contract.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import type { StorageContext } from './storage-context.js';

/** The checks of `eraseGrants()`. */
export const ERASING: readonly StorageCheck[] = checksOf('eraseGrants', {
  'erases grants with their rows, and no others': erasesGrants,
  'lets a grant with the same ID begin again, without its old rows': beginsAgain,
});

/** Saves an account without rows. */
export async function account(context: StorageContext): Promise<GrantRow> {
  const grant = context.grant({ kind: 'account', clientId: '', scope: null });
  await context.storage.save(grant, []);
  return grant;
}

/** Returns a new row of a passkey. It is not inserted yet. */
export const passkeyOf = (context: StorageContext, grant: GrantRow, more: Partial<Row> = {}): Row =>
  context.row(grant, { kind: 'passkey', ...more });

async function erasesGrants(context: StorageContext): Promise<void> {
  const userId = context.id();
  const saved: { grant: GrantRow; row: Row }[] = [];
  for (const kind of ['tokens', 'session', 'tokens', 'consent', 'tokens'] as const)
    saved.push(await context.saved({ userId, kind }));
  saved.push(await context.saved());
  const { grant: revoked } = saved[0]!;
  await context.storage.revokeGrants({ kinds: ['tokens'], grantId: revoked.id });
  const filter = { kinds: ['tokens', 'session'], userId } as const;
  let count = 0;
  for (let batch = 1; batch > 0 && count < 10; count += batch) {
    batch = await context.storage.eraseGrants(filter, 2);
    assert(batch <= 2, `\`eraseGrants()\` with limit 2 erased ${batch} grants.`);
  }
  // A database that deletes expired records itself may have forgotten the revoked grant.
  assert(count === 4 || count === 3, `\`eraseGrants()\` counted ${count} of 4 grants.`);
  for (const { grant, row } of saved) {
    const isErased = grant.userId === userId && grant.kind !== 'consent';
    assert((await context.other.hasGrant(grant.id)) !== isErased, '`eraseGrants()` erased other grants than selected.');
    if (isErased) await context.absent(row, 'of an erased grant');
    else await context.present(row, 'of a grant that `eraseGrants()` did not select');
  }
}

async function beginsAgain(context: StorageContext): Promise<void> {
  const grant = await account(context);
  const row = passkeyOf(context, grant);
  await context.storage.insertRow(row);
  assert(
    (await context.other.eraseGrants({ kinds: ['account'], grantId: grant.id }, 10)) === 1,
    'No grant was erased.',
  );
  await context.absent(row, 'of an erased grant');
  await context.storage.save(grant, []);
  assert(await context.other.hasGrant(grant.id), 'A grant with the ID of an erased one is not active.');
  await context.absent(row, 'of an erased grant whose ID has a new grant');
  const { length } = await context.other.listRows(grant.id, ['passkey']);
  assert(length === 0, '`listRows()` returned rows of an erased grant for a new grant with its ID.');
  assert(await context.other.insertRow(row), 'The key of an erased row is taken.');
  for (const selection of [{ grantId: grant.id }, { userId: grant.userId! }]) {
    await context.storage.revokeGrants({ kinds: ['account'], ...selection });
    await context.other.eraseGrants({ kinds: ['account'], grantId: grant.id }, 10);
    await context.storage.save(grant, []);
    const name = `\`revokeGrants()\` with \`${Object.keys(selection)[0]!}\``;
    assert(
      await context.other.hasGrant(grant.id),
      `A grant that ${name} revoked cannot begin again after its erasure.`,
    );
    assert(await context.other.insertRow(row), `The key of a row is taken after ${name} and \`eraseGrants()\`.`);
  }
}
