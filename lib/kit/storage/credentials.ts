import type { Row, RowKind } from '../../stores/contract/storage.js';
import { assert } from '../contract.js';
import { account, passkeyOf } from './erasing.js';
import { DIFFICULT_TEXT } from './saving.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import { LIFETIME, MINUTE, type StorageContext } from './storage-context.js';

/** The checks of rows that are changed after they were inserted: passkeys, recovery codes and personal access tokens. */
export const CREDENTIALS: readonly StorageCheck[] = [
  ...checksOf('insertRow', { 'saves every field of a row of each kind, and uses its `lifetime`': savesKinds }),
  ...checksOf('listRows', { 'returns what `update()` has changed, with its key': listsChanges }),
  ...checksOf(
    'update',
    { 'and a concurrent revocation of the grant leave the row invisible': racesRevocation },
    { race: true },
  ),
  ...checksOf(
    'removeRow',
    { 'and update() of one row return true to exactly one of many concurrent callers': racesUpdates },
    { race: true },
  ),
];

/** Number of concurrent calls of a race. */
const RACERS = 200;

const KINDS: readonly RowKind[] = [
  'password',
  'passkey',
  'totp',
  'recovery_code',
  'identity',
  'email_proof',
  'deletion',
  'personal_token',
  'upstream',
];

async function savesKinds(context: StorageContext): Promise<void> {
  const grant = await account(context);
  const { digest } = passkeyOf(context, grant);
  const rows = KINDS.map((kind): Row => {
    const more = { issuer: 'https://id.example/ü', scope: 'read', expiresAt: Date.now() - MINUTE, lifetime: LIFETIME };
    return passkeyOf(context, grant, { ...more, kind, digest, data: `${DIFFICULT_TEXT} ${kind}` });
  });
  for (const row of rows)
    assert(await context.storage.insertRow(row), `\`insertRow()\` did not insert a row of kind \`${row.kind}\`.`);
  for (const row of rows) {
    const found = await context.present(row, `of kind \`${row.kind}\` that was inserted with a \`lifetime\``);
    const fields = ['kind', 'digest', 'grantId', 'clientId', 'userId', 'issuer', 'scope', 'data'] as const;
    const wrong = fields.filter((field) => found[field] !== row[field]);
    assert(wrong.length === 0, `\`find()\` returns other values than those inserted for: ${wrong.join(', ')}.`);
    const left = found.expiresIn ?? found.expiresAt - Date.now();
    assert(context.isClose(left, LIFETIME), `A row with a \`lifetime\` of ${LIFETIME} ms expires in ${left} ms.`);
  }
}

async function listsChanges(context: StorageContext): Promise<void> {
  const grant = await account(context);
  const row = passkeyOf(context, grant);
  await context.storage.insertRow(row);
  for (const data of ['{"n":2}', '{"n":3}']) {
    const [listed, ...others] = await context.other.listRows(grant.id, [row.kind]);
    assert(listed && others.length === 0, '`listRows()` does not return one row after it was changed.');
    assert(await context.storage.update(listed, { ...row, data }), '`update()` did not change a listed row.');
    const [changed] = await context.other.listRows(grant.id, [row.kind]);
    assert(changed?.data === data, '`listRows()` returns the data of a row before it was changed.');
    assert((await context.present(row, 'that was changed')).data === data, '`find()` returns the data before.');
  }
  const taken = passkeyOf(context, await account(context), { digest: row.digest });
  assert(!(await context.other.insertRow(taken)), '`insertRow()` took the key of a row that was changed.');
}

async function racesRevocation(context: StorageContext): Promise<void> {
  const grant = context.grant({ kind: 'personal_token', clientId: '' });
  await context.storage.save(grant, []);
  const row = passkeyOf(context, grant, { kind: 'personal_token' });
  await context.storage.insertRow(row);
  await context.race(
    (storage, index) =>
      index === RACERS / 2
        ? storage.revokeGrants({ kinds: ['personal_token'], grantId: grant.id })
        : storage.update(row, { ...row, data: `{"n":${index + 2}}` }),
    RACERS,
  );
  await context.absent(row, 'of a revoked grant that was changed at the same time');
  const found = { ...row, data: '{"n":2}' };
  await context.storage.update(found, { ...row, data: '{"n":3}' });
  await context.absent(row, 'of a revoked grant that was changed later');
  const { length } = await context.other.listRows(grant.id, ['personal_token']);
  assert(length === 0, '`listRows()` returned a row of a revoked grant that was changed at the same time.');
}

async function racesUpdates(context: StorageContext): Promise<void> {
  const grant = await account(context);
  const row = passkeyOf(context, grant);
  await context.storage.insertRow(row);
  const changed = (index: number): Row => ({ ...row, data: `{"n":${index + 2}}` });
  const results = await context.race(
    (storage, index) => (index % 2 === 0 ? storage.removeRow(row) : storage.update(row, changed(index))),
    RACERS,
  );
  const winners = results.filter(Boolean).length;
  assert(
    winners === 1,
    `\`removeRow()\` and \`update()\` returned true to ${winners} of ${RACERS} concurrent callers. Exactly one must get true.`,
  );
  const winner = results.indexOf(true);
  const found = await context.find(row);
  const expected = winner % 2 === 0 ? undefined : changed(winner).data;
  assert(found?.data === expected, 'The row is not as the caller left it that got true.');
}
