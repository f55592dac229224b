import type { GrantKind, RowKind } from 'nest-oauth2/stores';

import * as fc from '../../support/environment/fast-check.js';

/** Texts that a database may confuse: by case, accents, trailing spaces, numbers, patterns or separators of keys. */
const TEXTS = ['a', 'A', 'a ', 'á', 'a:a', '%', '1', '01', '["a"]', '\\', "'", '\u{1f600}'];
const KINDS: readonly RowKind[] = ['code', 'access', 'refresh', 'device', 'registration'];

const GRANT_KINDS: readonly GrantKind[] = ['tokens', 'session', 'consent', 'account'];

const texts = fc.uniqueArray(fc.constantFrom(...TEXTS), { minLength: 3, maxLength: 3 });
const text = fc.constantFrom(...TEXTS);
const data = fc.constantFrom(null, '{}', '{"a":1}', '{"a": 1}', '{"a":"\\u0000 Ā"}');
/** The index of a name in a history. */
const index = fc.nat({ max: 2 });
const grant = fc.nat({ max: 3 });
const grantKind = fc.constantFrom(...GRANT_KINDS);
const kinds = fc.uniqueArray(grantKind, { minLength: 1 });
const limit = fc.integer({ min: 1, max: 3 });

const key = fc.record({ kind: fc.constantFrom(...KINDS), digest: fc.nat({ max: 4 }) });
const row = fc.record({
  key,
  grant,
  scope: fc.option(text),
  data,
  hours: fc.integer({ min: 1, max: 4 }),
  hasLifetime: fc.boolean(),
});
const rows = fc.array(row, { maxLength: 3 });
const someRows = rows.filter(({ length }) => length > 0);
const saved = fc.record({ grant, isUsed: fc.boolean(), hours: fc.nat({ max: 4 }) });
const filter = fc
  .record({ kinds, grant, user: index, client: index, issuer: index }, { requiredKeys: ['kinds'] })
  .filter(({ kinds: _, issuer: __, ...others }) => Object.keys(others).length > 0);

const call = <T extends string, M extends object>(type: T, members: { [K in keyof M]: fc.Arbitrary<M[K]> }) =>
  fc.record(members).map((values) => Object.assign(values, { type }));

const change = fc.oneof(
  { weight: 4, arbitrary: call('save', { saved, rows }) },
  call('saveRows', { rows: someRows }),
  { weight: 2, arbitrary: call('consumeAndSave', { key, data: fc.option(data), saved, rows: someRows }) },
  call('consume', { key }),
  { weight: 2, arbitrary: call('update', { key, isStale: fc.boolean(), grant, scope: fc.option(text), data }) },
  { weight: 2, arbitrary: call('revokeGrants', { filter }) },
  call('revokeBefore', { issuer: index, consents: fc.boolean() }),
  call('once', { name: index }),
  { weight: 2, arbitrary: call('count', { name: index, by: fc.integer({ min: -3, max: 4 }) }) },
  call('replaceText', { name: index, old: data, text: data }),
  {
    weight: 2,
    arbitrary: call('saveClient', { client: index, isStale: fc.boolean(), scope: text, revokes: fc.boolean() }),
  },
  call('addNewClient', { client: index, scope: text }),
  call('removeClient', { client: index }),
  call('prune', {}),
);
const lookUp = fc.oneof(
  { weight: 4, arbitrary: call('find', { key }) },
  call('hasGrant', { grant }),
  call('listGrants', { user: index, kinds }),
  { weight: 2, arbitrary: call('pageGrants', { filter, limit }) },
  call('readText', { name: index }),
  call('findClient', { client: index }),
  call('listClients', { limit }),
);

type Generated<T> = T extends fc.Arbitrary<infer V> ? V : never;
/** A call of a storage. Its numbers are indices of names or grants of the history. */
export type Call = Generated<typeof change> | Generated<typeof lookUp>;
/** The key of a row. */
export type Key = Generated<typeof key>;
/** A row to save. */
export type NewRow = Generated<typeof row>;
/** A grant to save or extend. If `hours` is 0, it has just expired. */
export type SavedGrant = Generated<typeof saved>;
/** A filter of grants. */
export type Filter = Generated<typeof filter>;

/** Calls of a storage, with the names that they use. The calls of one step are made at the same time. */
export interface History {
  clients: string[];
  users: string[];
  issuers: string[];
  /** The names of each grant. A grant without client belongs to a session. */
  grants: { kind: GrantKind; client: number | null; user: number | null; issuer: number | null }[];
  steps: Call[][];
}

/** Generates histories. A step is one change, or several look-ups. */
export const history: fc.Arbitrary<History> = fc.record({
  clients: texts,
  users: texts,
  issuers: texts,
  grants: fc.array(
    fc.record({
      kind: grantKind,
      client: fc.option(index, { freq: 6 }),
      user: fc.option(index),
      issuer: fc.option(index),
    }),
    { minLength: 4, maxLength: 4 },
  ),
  steps: fc.array(
    fc.oneof(
      change.map((one): Call[] => [one]),
      fc.array(lookUp, { minLength: 1, maxLength: 6 }),
    ),
    { maxLength: 40, size: 'max' },
  ),
});
