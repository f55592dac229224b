import type { GrantFilter, GrantRow, Row } from '../../stores/contract/storage.js';
import { assert } from '../contract.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import type { StorageContext } from './storage-context.js';

/** The checks of `revokeGrants()`. */
export const REVOKING: readonly StorageCheck[] = [
  ...checksOf('revokeGrants', {
    'revokes the grants that match every field of the filter, and no others': revokesMatching,
    'covers rows that are saved later, but not new grants': coversLaterRows,
    'counts only grants that were active': countsActive,
  }),
  ...checksOf(
    'revokeGrants',
    { 'covers rows that are saved at the same moment': coversConcurrentRows },
    { race: true },
  ),
];

/** Every combination of fields that a store passes. */
const FILTERS: readonly (readonly (keyof GrantFilter)[])[] = [
  ['grantId'],
  ['userId'],
  ['clientId'],
  ['userId', 'clientId'],
  ['userId', 'issuer'],
  ['clientId', 'issuer'],
  ['grantId', 'userId'],
  ['grantId', 'clientId', 'userId', 'issuer'],
];

/** Returns the filter that selects a grant by these fields. */
function filterFor({ id: grantId, userId, clientId, issuer }: GrantRow, fields: readonly (keyof GrantFilter)[]) {
  const values = { grantId, userId: userId!, clientId, issuer: issuer! };
  return Object.fromEntries(fields.map((field) => [field, values[field]])) as GrantFilter;
}

async function revokesMatching(context: StorageContext): Promise<void> {
  for (const fields of FILTERS) {
    const target = context.grant({ issuer: 'https://one.example' });
    const { clientId, userId, issuer } = target;
    const same = { clientId, userId, issuer };
    const all: { grant: GrantRow; row: Row }[] = [];
    for (const more of [
      { ...same, id: target.id },
      same,
      { ...same, issuer: null },
      { ...same, issuer: 'https://two.example' },
      { ...same, userId: null },
      { ...same, userId: context.id() },
      { ...same, clientId: context.id() },
      {},
    ]) {
      all.push(await context.saved(more));
    }
    const filter = filterFor(target, fields);
    const isMatch = (grant: GrantRow) =>
      fields.every((field) => filter[field] === grant[field === 'grantId' ? 'id' : field]);
    const count = await context.storage.revokeGrants(filter);
    const text = `\`revokeGrants({ ${fields.join(', ')} })\``;
    for (const { grant, row } of all) {
      const isActive = await context.other.hasGrant(grant.id);
      assert(
        isActive !== isMatch(grant),
        `${text} ${isActive ? 'left a' : 'revoked another'} grant than the filter selects.`,
      );
      if (isActive) await context.present(row, `after ${text}, which does not select its grant`);
      else await context.absent(row, `after ${text}, which selects its grant`);
    }
    const expected = all.filter(({ grant }) => isMatch(grant)).length;
    assert(count === expected, `${text} returned ${count} and revoked ${expected} grants.`);
  }
}

async function coversLaterRows(context: StorageContext): Promise<void> {
  for (const fields of FILTERS.slice(0, 4)) {
    const { grant } = await context.saved();
    const { clientId, userId } = grant;
    await context.storage.revokeGrants(filterFor(grant, fields));
    const text = `\`revokeGrants({ ${fields.join(', ')} })\``;
    const row = context.row(grant, { kind: 'access' });
    await context.storage.save(grant, [row]);
    await context.absent(row, `that was saved after ${text} revoked its grant`);
    const { row: next } = await context.saved({ clientId, userId });
    await context.present(next, `of a new grant that began after ${text}`);
  }
}

async function countsActive(context: StorageContext): Promise<void> {
  const { grant } = await context.saved();
  const { id: grantId, clientId } = grant;
  await context.saved({ clientId });
  for (const [filter, expected] of [
    [{ grantId }, 1],
    [{ grantId }, 0],
    [{ clientId }, 1],
    [{ clientId }, 0],
    [{ grantId: context.id() }, 0],
    [{ userId: context.id() }, 0],
  ] as const) {
    const count = await context.other.revokeGrants(filter);
    const fields = Object.keys(filter).join(', ');
    assert(
      count === expected,
      `\`revokeGrants({ ${fields} })\` returned ${count}. Only ${expected} grants were active.`,
    );
  }
}

async function coversConcurrentRows(context: StorageContext): Promise<void> {
  const middle = Math.floor(context.parallel / 2);
  for (const fields of FILTERS.slice(0, 3)) {
    const { grant } = await context.saved();
    const rows = await context.race(async (storage, index) => {
      const row = context.row(grant, { kind: 'access' });
      if (index === middle) await storage.revokeGrants(filterFor(grant, fields));
      else await storage.save(grant, [row]);
      return row;
    });
    const when = `of a grant that \`revokeGrants({ ${fields.join(', ')} })\` revoked while the row was saved`;
    for (const row of rows) await context.absent(row, when);
  }
}
