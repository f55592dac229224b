import { FOREVER } from '../../tokens/lifetime.js';
import type { GrantRow, Row, RowKind } from '../../stores/contract/storage.js';
import { assert } from '../contract.js';
import { checksOf, type StorageCheck } from './storage-check.js';
import { LIFETIME, MINUTE, type StorageContext } from './storage-context.js';

/** A text that a database with a smaller character set, or with wrong escaping, would change. */
export const DIFFICULT_TEXT = `{"a":"Zoë 漢字 😀 \\" \\\\ ' ; -- % _ $1 ? \\n","b":"${'long '.repeat(2000)}"}`;

const FIELDS = ['kind', 'digest', 'grantId', 'clientId', 'userId', 'issuer', 'scope', 'data'] as const;

/** The checks of `save()`. */
export const SAVING: readonly StorageCheck[] = [
  ...checksOf('save', {
    'saves every field of a row exactly': savesFields,
    'treats all kinds alike and distinguishes them': distinguishesKinds,
    'uses `lifetime` instead of `expiresAt`': usesLifetime,
    'sets `createdAt` of a new grant to the time of the database': setsCreatedAt,
    'extends a known grant and changes none of its other fields': extendsGrant,
    'keeps a revoked grant revoked, and its new rows invisible': keepsRevoked,
    'never lets a row be found without its grant': needsGrant,
    'stores copies of the passed objects': copiesArguments,
  }),
  ...checksOf(
    'save',
    { 'saves a new grant once and the rows of all concurrent calls': savesConcurrently },
    { race: true },
  ),
];

async function savesFields(context: StorageContext): Promise<void> {
  const grant = context.grant({ issuer: 'https://id.example/ü', userId: `Zoë 😀 ' ${context.id()}` });
  const anonymous = context.grant({ userId: null, scope: null });
  const rows = [
    context.row(grant, { scope: 'read write', data: DIFFICULT_TEXT }),
    context.row(grant, { kind: 'access', expiresAt: FOREVER }),
  ];
  await context.storage.save(grant, rows);
  rows.push(context.row(grant, { kind: 'refresh' }), context.row(anonymous, { data: null }));
  await context.storage.save(undefined, [rows[2]!]);
  await context.storage.save(anonymous, [rows[3]!]);
  for (const row of rows) {
    const found = await context.present(row, 'that was saved');
    const wrong = FIELDS.filter((field) => found[field] !== row[field]);
    assert(wrong.length === 0, `\`find()\` returns other values than those saved for: ${wrong.join(', ')}.`);
    assert(found.revokedAt === null, '`revokedAt` of an unused row must be null.');
    const expiresAt = found.expiresIn === undefined ? found.expiresAt : Date.now() + found.expiresIn;
    assert(
      row.expiresAt === FOREVER ? expiresAt > Date.now() + 1e12 : context.isClose(expiresAt, row.expiresAt),
      `A row was saved with \`expiresAt\` ${row.expiresAt} and is found with ${expiresAt}.`,
    );
  }
}

async function distinguishesKinds(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved();
  const others = (['access', 'user_code', 'kit'] as RowKind[]).map((kind): Row =>
    Object.assign({}, row, { kind, data: kind }),
  );
  await context.storage.save(grant, others);
  assert(await context.storage.consume('access', row.digest), '`consume()` returned false for an unused row.');
  for (const each of [row, ...others]) {
    const found = await context.present(each, `of kind \`${each.kind}\``);
    assert(found.data === each.data, `\`find()\` returns the row of another kind for the kind \`${each.kind}\`.`);
    const isUsed = found.revokedAt !== null;
    assert(isUsed === (each.kind === 'access'), 'Consuming a row must mark only the row of this kind as used.');
  }
}

async function usesLifetime(context: StorageContext): Promise<void> {
  const { row } = await context.saved({}, { expiresAt: Date.now() - MINUTE, lifetime: LIFETIME });
  const { expiresIn, expiresAt } = await context.present(row, 'with a `lifetime`');
  const left = expiresIn ?? expiresAt - Date.now();
  assert(context.isClose(left, LIFETIME), `A row with a \`lifetime\` of ${LIFETIME} ms expires in ${left} ms.`);
}

/** Returns the grant as `listGrants()` returns it to another process. */
async function listed(context: StorageContext, { id, userId }: GrantRow): Promise<GrantRow> {
  const grant = (await context.other.listGrants(userId!, ['tokens'])).find((each) => each.id === id);
  assert(grant, '`listGrants()` does not return a grant that was saved.');
  return grant;
}

async function setsCreatedAt(context: StorageContext): Promise<void> {
  const before = await context.storage.readClock();
  const { grant } = await context.saved({ createdAt: 1 });
  const { createdAt } = await listed(context, grant);
  const after = await context.storage.readClock();
  // Clocks of databases may be less exact than a millisecond.
  assert(createdAt >= before - 1 && createdAt <= after + 1, `\`createdAt\` is ${createdAt}, saved at ${before}.`);
}

async function extendsGrant(context: StorageContext): Promise<void> {
  const { grant } = await context.saved({ lastUsedAt: null, data: '{"a":1}' });
  const { id, userId, clientId } = grant;
  const page = await context.pages({ kinds: ['tokens'], grantId: id }, 10);
  assert(page[0] && page[0].lastUsedAt === null, '`lastUsedAt` of a grant that was saved with null must be null.');
  const changed = { ...grant, scope: 'other', data: '{}', issuer: 'https://other.example' };
  await context.storage.save({ ...changed, lastUsedAt: Date.now(), expiresAt: Date.now() + LIFETIME / 2 }, []);
  const used = await listed(context, grant);
  assert(
    context.isClose(used.lastUsedAt!, Date.now()),
    `\`lastUsedAt\` of a grant that was used now is ${used.lastUsedAt}.`,
  );
  assert(context.isClose(used.expiresAt, grant.expiresAt), 'An earlier `expiresAt` must not replace the later one.');
  await context.storage.save({ ...changed, lastUsedAt: null, expiresAt: Date.now() + 2 * LIFETIME }, []);
  const extended = await listed(context, grant);
  assert(extended.lastUsedAt === used.lastUsedAt, '`lastUsedAt: null` must not change the stored `lastUsedAt`.');
  assert(context.isClose(extended.expiresAt, Date.now() + 2 * LIFETIME), 'A later `expiresAt` must extend the grant.');
  const same = { clientId, userId, scope: grant.scope, data: grant.data, issuer: null, createdAt: used.createdAt };
  for (const [field, value] of Object.entries(same)) {
    assert(extended[field as keyof GrantRow] === value, `Saving a known grant changed its \`${field}\`.`);
  }
}

async function keepsRevoked(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved();
  await context.storage.revokeGrants({ kinds: ['tokens'], grantId: grant.id });
  const later = [context.row(grant, { kind: 'access' }), context.row(grant, { kind: 'refresh' })];
  await context.storage.save(grant, [later[0]!]);
  await context.storage.save(undefined, [later[1]!]);
  for (const each of [row, ...later]) await context.absent(each, 'of a grant that was revoked and saved again');
  assert(!(await context.other.hasGrant(grant.id)), 'A revoked grant is active after it was saved again.');
}

async function needsGrant(context: StorageContext): Promise<void> {
  const row = context.row(context.grant());
  // The storage may reject such a row.
  await Promise.resolve(context.storage.save(undefined, [row])).catch(() => undefined);
  await context.absent(row, 'whose grant was never saved');
}

async function copiesArguments(context: StorageContext): Promise<void> {
  const { grant, row } = await context.saved();
  const data = row.data;
  row.data = 'changed';
  grant.scope = 'changed';
  const found = await context.present(row, 'that was saved');
  const { scope } = await listed(context, grant);
  assert(found.data === data && scope === 'read', 'Changing an object after `save()` changed the stored row.');
}

async function savesConcurrently(context: StorageContext): Promise<void> {
  const grant = context.grant();
  const rows = await context.race(async (storage) => {
    const row: Row = context.row(grant);
    await storage.save(grant, [row]);
    return row;
  });
  for (const row of rows) await context.present(row, 'that was saved concurrently with others of the same new grant');
  const { length } = await context.pages({ kinds: ['tokens'], grantId: grant.id }, 10);
  assert(length === 1, `A grant that was saved by concurrent calls is stored ${length} times.`);
}
