import type { Row } from '../../stores/contract/storage.js';
import { assert } from '../contract.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import { LIFETIME, MINUTE, pastTime, type StorageContext } from './storage-context.js';

/** The checks of `find()`, `update()` and `hasGrant()`. */
export const FINDING: readonly StorageCheck[] = [
  ...checksOf('find', {
    'compares the kind and the digest exactly': comparesExactly,
    'returns copies, which later changes do not alter': returnsCopies,
    'returns plausible times by the clock of the database': measuresTimes,
    'omits rows that `revokeBefore()` has revoked, but no others': omitsRevokedBefore,
  }),
  ...checksOf('find', { 'returns the client of the row, if it returns one': returnsClient }, { clients: true }),
  ...checksOf('update', {
    'changes grant, user, scope and data, and the expiry only with `lifetime`': changesRow,
    'changes nothing if the data differs or the row is used': comparesData,
    'moves a row to another grant': movesRow,
  }),
  ...checksOf('update', { 'returns true to one of many concurrent callers': updatesOnce }, { race: true }),
  ...checksOf('hasGrant', { 'ignores the expiry, but not a revocation': hasActiveGrant }),
];

async function comparesExactly(context: StorageContext): Promise<void> {
  const { row } = await context.saved({}, { digest: `aB${context.row(context.grant()).digest.slice(2)}` });
  const { digest } = row;
  const swapped = Array.from(digest, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())).join('');
  for (const other of [
    { ...row, kind: 'access' as const },
    { ...row, digest: swapped },
    context.row(context.grant()),
  ]) {
    await context.absent(other, 'for a key that was never saved');
  }
  await context.present(row, 'that was saved');
}

async function returnsCopies(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved();
  const found = await context.storage.find(row.kind, row.digest);
  await context.storage.update(row, { ...row, data: '{"n":2}' });
  await context.storage.consume(row.kind, row.digest);
  const { row: unused } = await context.saved();
  const second = await context.storage.find(unused.kind, unused.digest);
  await context.storage.consume(unused.kind, unused.digest);
  const isOld = found!.data === row.data && found!.revokedAt === null && second!.revokedAt === null;
  assert(isOld, 'A later change altered an object that `find()` had returned.');
  found!.data = 'changed';
  const again = await context.present(row, 'that was used');
  assert(again.data === '{"n":2}', 'Changing an object that `find()` had returned changed the stored row.');
  const [listed] = await context.storage.listGrants(grant.userId!, ['tokens']);
  const [paged] = await context.pages({ kinds: ['tokens'], grantId: grant.id }, 10);
  for (const each of [listed!, paged!]) each.scope = 'changed';
  const [after] = await context.pages({ kinds: ['tokens'], grantId: grant.id }, 10);
  assert(after!.scope === grant.scope, 'Changing a grant that was returned changed the stored grant.');
}

async function measuresTimes(context: StorageContext): Promise<void> {
  const { row } = await context.saved();
  await context.storage.consume(row.kind, row.digest);
  const { expiresIn = LIFETIME, revokedAgo = 0 } = await context.present(row, 'that was used');
  assert(
    context.isClose(expiresIn, LIFETIME),
    `\`expiresIn\` of a row that expires in ${LIFETIME} ms is ${expiresIn}.`,
  );
  // Times of databases are rounded.
  assert(
    revokedAgo > -1000 && context.isClose(revokedAgo, 0),
    `\`revokedAgo\` of a row that was used now is ${revokedAgo}.`,
  );
}

async function omitsRevokedBefore(context: StorageContext): Promise<void> {
  const issuer = `https://${context.id()}.example`;
  const { row } = await context.saved({ issuer });
  const kept: Row[] = [];
  for (const kind of ['consent', 'registration', 'account'] as const)
    kept.push((await context.saved({ kind, issuer }, { data: kind })).row);
  kept.push((await context.saved({ issuer: `${issuer}/other` })).row);
  kept.push((await context.saved()).row);
  await context.revokeIssuer(issuer);
  kept.push((await context.saved({ issuer })).row);
  await context.absent(row, 'for which `isRevokedBefore()` is true');
  for (const each of kept) await context.present(each, `(${each.data}) that \`revokeBefore()\` did not revoke`);
}

async function returnsClient(context: StorageContext): Promise<void> {
  const client = context.client({ name: 'Zoë' });
  await context.clients.saveClient(client, undefined, false);
  const { row } = await context.saved({ clientId: client.id });
  const { row: unknown } = await context.saved();
  const found = await context.present(row, 'of a client');
  const isRight = found.client === undefined || (found.client?.id === client.id && found.client.name === 'Zoë');
  assert(isRight, '`find()` returns the row with another `client` than the one that was saved.');
  const { client: none } = await context.present(unknown, 'whose client does not exist');
  assert(none === undefined || none === null, '`client` of a row must be null if the client does not exist.');
}

async function changesRow(context: StorageContext): Promise<void> {
  const { row } = await context.saved();
  const { grant } = await context.saved({ clientId: row.clientId });
  const to = { ...row, grantId: grant.id, userId: grant.userId, scope: 'write', data: '{"n":2}' };
  assert(await context.storage.update(row, to), '`update()` returned false for an unchanged row.');
  const changed = await context.present(to, 'that was updated');
  for (const field of ['grantId', 'userId', 'scope', 'data'] as const) {
    assert(changed[field] === to[field], `\`update()\` did not change \`${field}\`.`);
  }
  const left = changed.expiresIn ?? changed.expiresAt - Date.now();
  assert(context.isClose(left, LIFETIME), '`update()` without `lifetime` changed the expiry of the row.');
  await context.storage.update(changed, { ...to, data: '{"n":3}', lifetime: 2 * LIFETIME });
  const { expiresIn, expiresAt } = await context.present(to, 'that was updated');
  const longer = expiresIn ?? expiresAt - Date.now();
  assert(
    context.isClose(longer, 2 * LIFETIME),
    `A row with a new \`lifetime\` of ${2 * LIFETIME} ms expires in ${longer} ms.`,
  );
}

async function comparesData(context: StorageContext): Promise<void> {
  for (const data of ['{"n":1}', null]) {
    const { row } = await context.saved({}, { data });
    const to = { ...row, data: '{"n":2}' };
    for (const stale of ['{"n":0}', '{"N":1}', '{"n":1} ', data === null ? '' : null]) {
      const done = await context.storage.update({ ...row, data: stale }, to);
      assert(!done, `\`update()\` changed a row with data ${data} for a caller that has read ${stale}.`);
    }
    assert(
      await context.storage.update(row, to),
      `\`update()\` returned false for an unchanged row with data ${data}.`,
    );
    await context.storage.consume(row.kind, row.digest);
    assert(!(await context.other.update(to, row)), '`update()` changed a used row.');
    const found = await context.present(row, 'that was used');
    assert(found.data === '{"n":2}', '`update()` changed a used row.');
  }
}

async function movesRow(context: StorageContext): Promise<void> {
  const { grant: old, row } = await context.saved();
  const { grant } = await context.saved({ clientId: old.clientId });
  await context.storage.update(row, { ...row, grantId: grant.id, userId: grant.userId });
  await context.storage.revokeGrants({ kinds: ['tokens'], grantId: old.id });
  await context.present(row, 'whose former grant was revoked');
  await context.storage.revokeGrants({ kinds: ['tokens'], grantId: grant.id });
  await context.absent(row, 'whose new grant was revoked');
}

async function updatesOnce(context: StorageContext): Promise<void> {
  const { row } = await context.saved();
  const winner = await context.oneWinner('update()', (storage, index) =>
    storage.update(row, { ...row, data: `{"by":${index}}` }),
  );
  const { data } = await context.present(row, 'that was updated');
  assert(data === `{"by":${winner}}`, '`update()` stored the data of a caller that got false.');
}

async function hasActiveGrant(context: StorageContext): Promise<void> {
  const { grant } = await context.saved({ expiresAt: pastTime() });
  const isActive = await context.other.hasGrant(grant.id);
  // A concurrent `prune()` may delete the grant a minute after its expiry.
  assert(isActive || context.elapsed > MINUTE / 2, '`hasGrant()` returned false for an expired grant.');
  assert(!(await context.other.hasGrant(context.id())), '`hasGrant()` returned true for an unknown grant.');
  await context.storage.revokeGrants({ kinds: ['tokens'], grantId: grant.id });
  assert(!(await context.other.hasGrant(grant.id)), '`hasGrant()` returned true for a revoked grant.');
}
