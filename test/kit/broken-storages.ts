import { setImmediate as tick } from 'node:timers/promises';

import type { ClientStorage, Row, Storage, StoredRow } from 'nest-oauth2/stores';

import type { MapStorage } from '../stores/map-storage.js';

/** The wrong methods of a storage. They call the methods of a correct storage. */
export type Mistake = (honest: MapStorage) => Partial<Storage & ClientStorage>;

const change = <T extends object>(value: T | undefined, more: Partial<T>): T | undefined =>
  value && { ...value, ...more };

/** Changes each row that `find()` returns. */
const finding =
  (more: (found: StoredRow) => Partial<StoredRow>): Mistake =>
  (honest) => ({
    async find(kind, digest) {
      const found = await honest.find(kind, digest);
      return change(found, found ? more(found) : {});
    },
  });

/** Saves the new rows although the row may be used. */
const savesBefore: Mistake = (honest) => ({
  async consumeAndSave(consumed, grant, rows) {
    await honest.save(grant, rows);
    return honest.consumeAndSave(consumed, grant, []);
  },
});

/** Forgets the times of `revokeBefore()`. */
export const forgetsTexts: Mistake = () => ({ replaceText: async () => true });

/** A mistake for each rule about rows and single values, by the check that detects it. */
export const BROKEN_STORAGES: Readonly<Record<string, Mistake>> = {
  'save() saves every field of a row exactly': finding(() => ({ scope: null })),
  'save() treats all kinds alike and distinguishes them': (honest) => ({
    find: (_, digest) => honest.find('code', digest),
  }),
  'save() uses `lifetime` instead of `expiresAt`': (honest) => ({
    save: (grant, rows) =>
      honest.save(
        grant,
        rows.map(({ lifetime, ...row }) => row),
      ),
  }),
  'save() sets `createdAt` of a new grant to the time of the database': (honest) => ({
    listGrants: async (id, kinds) =>
      (await honest.listGrants(id, kinds)).map((grant) => Object.assign(grant, { createdAt: 1 })),
  }),
  'save() extends a known grant and changes none of its other fields': (honest) => ({
    save: (grant, rows) => honest.save(grant && { ...grant, lastUsedAt: grant.lastUsedAt ?? 1 }, rows),
  }),
  'save() keeps a revoked grant revoked, and its new rows invisible': () => ({ hasGrant: async () => true }),
  'save() never lets a row be found without its grant': (honest) => {
    const rows = new Map<string, Row>();
    return {
      async save(grant, added) {
        for (const row of added) rows.set(row.digest, row);
        await honest.save(grant, added);
      },
      find: async (_, digest) => change(rows.get(digest) as StoredRow, { revokedAt: null }),
    };
  },
  'save() stores copies of the passed objects': (honest) => {
    const rows = new Map<string, Row>();
    return {
      async save(grant, added) {
        for (const row of added) rows.set(row.digest, row);
        await honest.save(grant, added);
      },
      find: async (kind, digest) => change(await honest.find(kind, digest), { data: rows.get(digest)?.data ?? null }),
    };
  },
  'save() saves a new grant once and the rows of all concurrent calls': (honest) => {
    const known = new Set<string>();
    return {
      async save(grant, rows) {
        if (grant && known.has(grant.id)) return;
        if (grant) known.add(grant.id);
        await honest.save(grant, rows);
      },
    };
  },
  'consume() marks a row as used, and the row is still found': finding(() => ({ revokedAt: null })),
  'consume() returns false for an unknown or used row': () => ({ consume: async () => true }),
  'consume() returns true to one of many concurrent callers': (honest) => ({
    async consume(kind, digest) {
      const found = await honest.find(kind, digest);
      if (!found || found.revokedAt !== null) return false;
      await honest.consume(kind, digest);
      return true;
    },
  }),
  'consumeAndSave() marks a row as used, saves the new rows and extends the grant': (honest) => ({
    consumeAndSave: (consumed, grant, rows) => honest.consumeAndSave(consumed, grant, rows.slice(1)),
  }),
  'consumeAndSave() saves nothing if the row is unknown or used': savesBefore,
  'consumeAndSave() does both or neither if a new row cannot be saved': (honest) => ({
    async consumeAndSave({ kind, digest }) {
      await honest.consume(kind, digest);
      throw new Error('duplicate key');
    },
  }),
  'consumeAndSave() returns true for a revoked grant, and its new rows stay invisible': (honest) => ({
    consumeAndSave: async (consumed, grant, rows) =>
      (await honest.hasGrant(grant.id)) && honest.consumeAndSave(consumed, grant, rows),
  }),
  'consumeAndSave() returns true to one of many concurrent callers and saves only its rows': savesBefore,
  'consumeAndSave() returns true to one of many concurrent callers of both methods': (honest) => ({
    async consumeAndSave({ kind, digest }, grant, rows) {
      await honest.consume(kind, digest);
      await honest.save(grant, rows);
      return true;
    },
  }),
  'find() compares the kind and the digest exactly': (honest) => {
    const digests = new Map<string, string>();
    return {
      async save(grant, rows) {
        for (const { digest } of rows) digests.set(digest.toLowerCase(), digest);
        await honest.save(grant, rows);
      },
      find: (kind, digest) => honest.find(kind, digests.get(digest.toLowerCase()) ?? ''),
    };
  },
  'find() returns copies, which later changes do not alter': (honest) => {
    const objects = new Map<string, object>();
    return {
      async find(kind, digest) {
        const found = Object.assign(objects.get(digest) ?? {}, await honest.find(kind, digest));
        objects.set(digest, found);
        return found;
      },
      async consume(kind, digest) {
        Object.assign(objects.get(digest) ?? {}, { revokedAt: 1 });
        return honest.consume(kind, digest);
      },
    };
  },
  'find() returns plausible times by the clock of the database': finding(() => ({ expiresIn: 60 })),
  'find() omits rows that `revokeBefore()` has revoked, but no others': forgetsTexts,
  'find() returns the client of the row, if it returns one': finding(() => ({ client: { id: 'other', grants: [] } })),
  'update() changes grant, user, scope and data, and the expiry only with `lifetime`': (honest) => ({
    update: (from, { lifetime, ...to }) => honest.update(from, to),
  }),
  'update() changes nothing if the data differs or the row is used': (honest) => ({
    update: async (from, to) => honest.update((await honest.find(from.kind, from.digest)) ?? from, to),
  }),
  'update() moves a row to another grant': (honest) => ({
    update: (from, to) => honest.update(from, { ...to, grantId: from.grantId }),
  }),
  'update() returns true to one of many concurrent callers': (honest) => ({
    update: async (from, to) => (await honest.update(from, to)) || true,
  }),
  'hasGrant() ignores the expiry, but not a revocation': () => ({ hasGrant: async () => true }),
  'once() remembers a value for its seconds and then forgets it': (honest) => ({
    once: (digest) => honest.once(digest, 0.5),
  }),
  'once() returns true to one of many concurrent callers': () => {
    const used = new Set<string>();
    return {
      async once(digest) {
        const isFirst = !used.has(digest);
        await tick();
        used.add(digest);
        return isFirst;
      },
    };
  },
  'count() adds numbers, and reads with 0 without opening a window': (honest) => ({
    count: (digest, seconds, by = 1) => honest.count(digest, seconds, by || 1),
  }),
  'count() takes back with a negative number, but never below 0': (honest) => {
    const counts = new Map<string, number>();
    return {
      async count(digest, seconds, by = 1) {
        const state = await honest.count(digest, seconds, by);
        counts.set(digest, (counts.get(digest) ?? 0) + by);
        return { ...state, count: counts.get(digest)! };
      },
    };
  },
  // The window slides with each addition.
  'count() opens a window with the first addition, which later ones do not extend': (honest) => ({
    async count(digest, seconds, by) {
      const { count } = await honest.count(digest, seconds, by);
      return { count, expiresIn: seconds * 1000 };
    },
  }),
  'count() opens a new window after the end of the last one': (honest) => ({
    count: (digest, _, by) => honest.count(digest, 60, by),
  }),
  'count() keeps counters apart from each other and from other values': (honest) => ({
    count: (digest, seconds, by) => honest.count(digest.toLowerCase().trim(), seconds, by),
  }),
  // A lost update: concurrent callers read the same count.
  'count() returns another count to each of many concurrent callers': (honest) => ({
    async count(digest, seconds, by = 1) {
      const { count, expiresIn } = await honest.count(digest, seconds, 0);
      await honest.count(digest, seconds, by);
      return { count: Math.max(0, count + by), expiresIn };
    },
  }),
  // Each concurrent caller finds the old window ended and opens a new one.
  'count() opens one window for many concurrent callers': (honest) => {
    const windows = new Map<string, number>();
    let last = 0;
    return {
      async count(digest, seconds, by) {
        const window = `${digest} ${windows.get(digest) ?? 0}`;
        if (by === 0) return honest.count(window, seconds, 0);
        const { count } = await honest.count(window, seconds, 0);
        if (count > 0) return honest.count(window, seconds, by);
        windows.set(digest, (last += 1));
        return honest.count(`${digest} ${last}`, seconds, by);
      },
    };
  },
  'readText() returns the stored text exactly, or undefined': (honest) => ({
    readText: async (name) => (await honest.readText(name)) ?? '',
  }),
  'replaceText() stores nothing if another text is stored': (honest) => ({
    replaceText: async (name, _, text) => honest.replaceText(name, await honest.readText(name), text),
  }),
  'replaceText() returns true to one of many concurrent callers': (honest) => ({
    replaceText: async (name, old, text) => (await honest.replaceText(name, old, text)) || true,
  }),
};
