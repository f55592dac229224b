import { CLIENT_KINDS } from '../../stores/contract/grant-kinds.js';
import type { GrantFilter, GrantKinds, GrantRow } from '../../stores/contract/storage.js';
import { sleep } from '../checks/model-calls.js';
import { assert, SkippedCheck } from '../contract.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import { idsOf, LIFETIME, MINUTE, pastTime, type StorageContext } from './storage-context.js';

/** The checks of `listGrants()`, `pageGrants()` and `prune()`. */
export const LISTING: readonly StorageCheck[] = [
  ...checksOf('listGrants', {
    'returns active grants with a `lastUsedAt`, the most recently used first': listsGrants,
    'returns only grants of the kinds that it names': listsKinds,
    'omits grants that `revokeBefore()` has revoked': omitsRevokedBefore,
  }),
  ...checksOf('pageGrants', {
    'returns each matching grant once, from any cursor': pagesGrants,
    'returns only grants of the kinds that the filter names': pagesKinds,
    'omits no grant if grants are extended between two pages': pagesExtended,
    'omits expired and revoked grants': omitsInactive,
    'returns a `next` if `revokeBefore()` has revoked all grants of a page': continuesEmptyPage,
  }),
  ...checksOf('prune', {
    'deletes everything that has expired, and counts it': prunesExpired,
    'keeps rows and grants that have not expired': keepsUnexpired,
    'keeps a revoked grant for a minute after its expiry': keepsRevoked,
  }),
];

/** Saves grants of one user, with pauses, so that their times differ. Returns them, the last one first. */
async function saveInOrder(context: StorageContext, userId: string, more: Partial<GrantRow>[]): Promise<GrantRow[]> {
  const grants: GrantRow[] = [];
  for (const each of more) {
    grants.unshift((await context.saved({ userId, ...each })).grant);
    await sleep(15);
  }
  return grants;
}

async function listsGrants(context: StorageContext): Promise<void> {
  const userId = context.id();
  const [third, , , second, first] = await saveInOrder(context, userId, [
    {},
    {},
    { lastUsedAt: null },
    { expiresAt: pastTime() },
    {},
  ]);
  await context.saved();
  // The other grants have times of the database, whose clock may differ from that of the process.
  await context.storage.save({ ...first!, lastUsedAt: await context.storage.readClock() }, []);
  const ids = (await context.other.listGrants(userId, ['tokens'])).map(({ id }) => id);
  const expected = [first!.id, third!.id, second!.id];
  const problem =
    ids.length === 3 ? 'returns grants in another order than that of their last use' : 'returns other grants';
  assert(ids.join() === expected.join(), `\`listGrants()\` ${problem}. It returned ${ids.length} of 3 grants.`);
  await context.storage.revokeGrants({ kinds: ['tokens'], grantId: first!.id });
  await context.storage.revokeGrants({ kinds: CLIENT_KINDS, clientId: second!.clientId });
  const left = (await context.other.listGrants(userId, ['tokens'])).map(({ id }) => id);
  assert(left.join() === third!.id, '`listGrants()` returns revoked grants, or omits others.');
}

/** Saves two grants of each of three kinds, with the same user and client. */
async function saveKinds(context: StorageContext) {
  const owner = { userId: context.id(), clientId: context.id() };
  const grants: GrantRow[] = [];
  for (const kind of ['tokens', 'consent', 'account', 'tokens', 'consent', 'account'] as const)
    grants.push((await context.saved({ ...owner, kind })).grant);
  const cases: GrantKinds[] = [
    ['tokens'],
    ['account'],
    ['consent', 'tokens'],
    ['account', 'consent', 'tokens'],
    ['session'],
  ];
  return { ...owner, cases, expected: (kinds: GrantKinds) => idsOf(grants.filter(({ kind }) => kinds.includes(kind))) };
}

async function listsKinds(context: StorageContext): Promise<void> {
  const { userId, cases, expected } = await saveKinds(context);
  for (const kinds of cases) {
    const listed = await context.other.listGrants(userId, kinds);
    const isRight = idsOf(listed) === expected(kinds) && listed.every(({ kind }) => kinds.includes(kind));
    assert(isRight, `\`listGrants()\` returned other grants than those of the kinds ${kinds.join(', ')}.`);
  }
}

async function pagesKinds(context: StorageContext): Promise<void> {
  const { userId, clientId, cases, expected } = await saveKinds(context);
  for (const selector of [{ userId }, { clientId }, { userId, clientId }]) {
    for (const kinds of cases) {
      for (const limit of [1, 3]) {
        const read = await context.pages({ kinds, ...selector }, limit);
        const text = `\`pageGrants({ kinds: ${kinds.join(', ')}, ${Object.keys(selector).join(', ')} })\``;
        const isRight = idsOf(read) === expected(kinds) && read.every(({ kind }) => kinds.includes(kind));
        assert(isRight, `${text} returned ${read.length} grants, or grants of other kinds.`);
      }
    }
  }
}

async function omitsRevokedBefore(context: StorageContext): Promise<void> {
  const [userId, issuer] = [context.id(), `https://${context.id()}.example`];
  await context.saved({ userId, issuer });
  const kept = [(await context.saved({ userId })).grant];
  await context.revokeIssuer(issuer);
  kept.push((await context.saved({ userId, issuer })).grant);
  const listed = await context.other.listGrants(userId, ['tokens']);
  assert(idsOf(listed) === idsOf(kept), '`listGrants()` must return what `withoutRevokedBefore()` returns.');
}

async function pagesGrants(context: StorageContext): Promise<void> {
  const [userId, clientId, issuer] = [context.id(), context.id(), 'https://id.example'];
  const saved: GrantRow[] = [];
  for (const more of [{}, { issuer }, { lastUsedAt: null }, { issuer }, { clientId: context.id() }]) {
    saved.push((await context.saved({ userId, clientId, ...more })).grant);
  }
  saved.push((await context.saved({ clientId, issuer })).grant);
  const [one] = saved;
  const cases: [Omit<GrantFilter, 'kinds'>, GrantRow[]][] = [
    [{ userId }, saved.slice(0, 5)],
    [{ clientId }, [...saved.slice(0, 4), saved[5]!]],
    [{ userId, clientId }, saved.slice(0, 4)],
    [{ userId, issuer }, [saved[1]!, saved[3]!]],
    [{ clientId, issuer }, [saved[1]!, saved[3]!, saved[5]!]],
    [{ grantId: one!.id }, [one!]],
    [{ grantId: one!.id, userId: context.id() }, []],
    [{ userId: context.id() }, []],
  ];
  for (const [selector, expected] of cases) {
    const filter: GrantFilter = { kinds: ['tokens'], ...selector };
    for (const limit of [1, 2, 10]) {
      const read = await context.pages(filter, limit);
      const text = `\`pageGrants({ ${Object.keys(selector).join(', ')} })\` with limit ${limit}`;
      assert(idsOf(read) === idsOf(expected), `${text} returned ${read.length} grants instead of ${expected.length}.`);
    }
  }
  const { grants } = await context.other.pageGrants({ kinds: ['tokens'], userId }, undefined, 10);
  const { grants: rest } = await context.other.pageGrants({ kinds: ['tokens'], userId }, grants[1]!.cursor, 10);
  const [expected, read] = [grants.slice(2), rest].map((page) => page.map(({ grant }) => grant.id).join());
  assert(read === expected, '`pageGrants()` does not continue after the `cursor` of a grant.');
}

async function pagesExtended(context: StorageContext): Promise<void> {
  const userId = context.id();
  const grants = await saveInOrder(context, userId, [{}, {}, {}, {}, {}, {}]);
  const extended = [grants[1]!, grants[4]!];
  const read = await context.pages({ kinds: ['tokens'], userId }, 2, async () => {
    for (const grant of extended.splice(0, 1)) {
      await context.storage.save({ ...grant, lastUsedAt: Date.now(), expiresAt: Date.now() + 2 * LIFETIME }, []);
    }
  });
  const found = new Set(read.map(({ id }) => id));
  assert(found.size === 6, `\`pageGrants()\` omitted ${6 - found.size} of 6 grants, while others were extended.`);
}

async function omitsInactive(context: StorageContext): Promise<void> {
  const userId = context.id();
  const kept = [(await context.saved({ userId })).grant];
  await context.saved({ userId, expiresAt: pastTime() });
  const { grant: revoked } = await context.saved({ userId });
  const { grant: ofClient } = await context.saved({ userId });
  await context.storage.revokeGrants({ kinds: ['tokens'], grantId: revoked.id });
  await context.storage.revokeGrants({ kinds: CLIENT_KINDS, clientId: ofClient.clientId });
  await sleep(15);
  const read = await context.pages({ kinds: ['tokens'], userId }, 10);
  assert(idsOf(read) === idsOf(kept), '`pageGrants()` must return the grants that are active and have not expired.');
}

async function continuesEmptyPage(context: StorageContext): Promise<void> {
  const [userId, issuer] = [context.id(), `https://${context.id()}.example`];
  for (let count = 0; count < 4; count += 1) await context.saved({ userId, issuer });
  await context.revokeIssuer(issuer);
  const kept = await saveInOrder(context, userId, [{}, { issuer }, {}]);
  const read = await context.pages({ kinds: ['tokens'], userId }, 2);
  const text = '`pageGrants()` must return what `withoutRevokedBefore()` returns, and a `next` even for an empty page.';
  assert(idsOf(read) === idsOf(kept), text);
}

async function prunesExpired(context: StorageContext): Promise<void> {
  const expired = { expiresAt: Date.now() - 5 * MINUTE };
  let count = 0;
  let isValid = false;
  // Another process may prune a part of the records at the same time, but not each time.
  for (let attempts = 0; attempts < 5 && !isValid; attempts += 1) {
    for (let saved = 0; saved < 5; saved += 1) await context.saved(expired, expired);
    count = await context.storage.prune(2);
    isValid = Number.isInteger(count) && (count === 0 || count >= 5);
  }
  assert(isValid, `\`prune(2)\` returned ${count}. It must delete and count all expired records, in batches of 2.`);
  // Records of other tests may expire between two calls, so only a count that never falls is wrong.
  let again = await context.storage.prune(1000);
  for (let calls = 1; again >= 5 && calls < 20; calls += 1) again = await context.storage.prune(1000);
  assert(
    again < 5,
    `\`prune()\` returned ${count}, and still returns ${again}. It counts records that it does not delete.`,
  );
}

async function keepsUnexpired(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved();
  const { row: used } = await context.saved();
  const { grant: revoked, row: hidden } = await context.saved();
  const [digest, name] = [context.id(), context.id()];
  await context.storage.consume(used.kind, used.digest);
  await context.storage.revokeGrants({ kinds: ['tokens'], grantId: revoked.id });
  await context.storage.once(digest, 600);
  await context.storage.replaceText(name, undefined, 'text');
  await context.other.prune(1000);
  await context.present(row, 'that has not expired after `prune()`');
  const found = await context.present(used, 'that was used and has not expired, after `prune()`');
  assert(found.revokedAt !== null, '`prune()` made a used row unused.');
  await context.absent(hidden, 'of a revoked grant after `prune()`');
  assert(await context.storage.hasGrant(grant.id), '`prune()` deleted a grant that has not expired.');
  assert(!(await context.storage.once(digest, 600)), '`prune()` deleted a single-use value too early.');
  assert((await context.storage.readText(name)) === 'text', '`prune()` deleted a text.');
}

async function keepsRevoked(context: StorageContext): Promise<void> {
  const expiresAt = pastTime();
  const { grant } = await context.saved({ expiresAt });
  const { grant: active } = await context.saved({ expiresAt });
  await context.storage.revokeGrants({ kinds: ['tokens'], grantId: grant.id });
  await context.storage.prune(1000);
  const isKept = await context.storage.hasGrant(active.id);
  if (context.elapsed > MINUTE / 2) throw new SkippedCheck('the calls took longer than half a minute');
  assert(isKept, '`prune()` deleted a grant within a minute after its expiry.');
  const row = context.row(grant, { kind: 'access' });
  await context.storage.save({ ...grant, expiresAt: row.expiresAt }, [row]);
  await context.absent(row, 'of a grant that was revoked, pruned within a minute after its expiry, and saved again');
}
