import { ALL_KINDS, CLIENT_KINDS } from '../../stores/contract/grant-kinds.js';
import type { GrantFilter, GrantKinds, GrantRow, Row } from '../../stores/contract/storage.js';
import { assert } from '../contract.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import type { StorageContext } from './storage-context.js';

/** The checks of `revokeGrants()`. */
export const REVOKING: readonly StorageCheck[] = [
  ...checksOf('revokeGrants', {
    'revokes the grants that match every field of the filter, and no others': revokesMatching,
    'covers rows that are saved later, but not new grants': coversLaterRows,
    'leaves grants of other kinds alone': leavesOtherKinds,
    'counts only grants that were active': countsActive,
  }),
  ...checksOf(
    'revokeGrants',
    {
      'covers rows that are saved at the same moment': coversConcurrentRows,
      'leaves grants of other kinds alone if kinds are revoked at the same moment': leavesConcurrentKinds,
    },
    { race: true },
  ),
];

/** Every combination of fields that a store passes. */
type Field = Exclude<keyof GrantFilter, 'kinds'>;

const FILTERS: readonly (readonly Field[])[] = [
  ['grantId'],
  ['userId'],
  ['clientId'],
  ['userId', 'clientId'],
  ['userId', 'issuer'],
  ['clientId', 'issuer'],
  ['grantId', 'userId'],
  ['grantId', 'clientId', 'userId', 'issuer'],
];

/** Returns the filter that selects a grant by these fields, among those of all kinds that a client may have. */
function filterFor(
  { id: grantId, userId, clientId, issuer }: GrantRow,
  fields: readonly Field[],
  kinds: GrantKinds = CLIENT_KINDS,
): GrantFilter {
  const values = { grantId, userId: userId!, clientId, issuer: issuer! };
  return { kinds, ...Object.fromEntries(fields.map((field) => [field, values[field]])) };
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

/** Saves a grant of each kind, with one row. All have the same user, client and issuer. */
async function saveEachKind(context: StorageContext) {
  const owner = { userId: context.id(), clientId: context.id(), issuer: 'https://id.example' };
  const saved: { grant: GrantRow; row: Row }[] = [];
  for (const kind of ALL_KINDS) saved.push(await context.saved({ ...owner, kind }));
  return saved;
}

/** Asserts that of these grants exactly those of the kinds are revoked. */
async function onlyRevoked(
  context: StorageContext,
  saved: readonly { grant: GrantRow; row: Row }[],
  kinds: GrantKinds,
  text: string,
): Promise<void> {
  for (const { grant, row } of saved) {
    const when = `of a grant of kind \`${grant.kind}\` after ${text}`;
    if (kinds.includes(grant.kind)) await context.absent(row, when);
    else await context.present(row, when);
    const isRight = (await context.other.hasGrant(grant.id)) !== kinds.includes(grant.kind);
    assert(isRight, `\`hasGrant()\` returns the wrong result ${when}.`);
  }
}

async function leavesOtherKinds(context: StorageContext): Promise<void> {
  for (const fields of FILTERS) {
    for (const kinds of [['consent'], ['tokens', 'session', 'account']] as const) {
      const saved = await saveEachKind(context);
      const one = saved.find(({ grant }) => grant.kind === 'session')!.grant;
      const filter = filterFor(one, fields, kinds);
      const isMatch = (kind: string) => !fields.includes('grantId') || kind === 'session';
      const revoked = kinds.filter(isMatch);
      const text = `\`revokeGrants({ kinds: ${kinds.join(', ')}, ${fields.join(', ')} })\``;
      const count = await context.storage.revokeGrants(filter);
      assert(count === revoked.length, `${text} returned ${count} and revoked ${revoked.length} grants.`);
      await onlyRevoked(context, saved, revoked as unknown as GrantKinds, text);
    }
  }
}

async function leavesConcurrentKinds(context: StorageContext): Promise<void> {
  const saved = await saveEachKind(context);
  const { userId } = saved[0]!.grant;
  const lists: GrantKinds[] = [['tokens'], ['session', 'consent'], ['personal_token']];
  await context.race((storage, index) =>
    storage.revokeGrants({ kinds: lists[index % lists.length]!, userId: userId! }),
  );
  const kinds = lists.flat() as unknown as GrantKinds;
  await onlyRevoked(context, saved, kinds, '`revokeGrants({ kinds, userId })` was called for some kinds concurrently');
  const { row } = await context.saved({ kind: 'tokens', userId });
  await context.present(row, 'of a new grant that began after `revokeGrants({ kinds, userId })`');
}

async function countsActive(context: StorageContext): Promise<void> {
  const { grant } = await context.saved();
  const { id: grantId, clientId } = grant;
  await context.saved({ clientId });
  for (const [selector, expected] of [
    [{ grantId }, 1],
    [{ grantId }, 0],
    [{ clientId }, 1],
    [{ clientId }, 0],
    [{ grantId: context.id() }, 0],
    [{ userId: context.id() }, 0],
  ] as const) {
    const count = await context.other.revokeGrants({ kinds: CLIENT_KINDS, ...selector });
    const fields = Object.keys(selector).join(', ');
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
