import type { Row } from 'nest-oauth2/stores';

import type { Mistake } from './broken-storages.js';

/** Waits until all concurrent calls have read, and then writes without a condition. */
const late = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** A mistake for each rule about rows that are inserted one by one, by the check that detects it. */
export const BROKEN_INSERTS: Readonly<Record<string, Mistake>> = {
  'insertRow() inserts a row of an active grant, unless its key is taken': (honest) => ({
    async insertRow(row) {
      await honest.save(undefined, [row]);
      return true;
    },
  }),
  'insertRow() inserts nothing for a grant that is not active': (honest) => ({
    async insertRow(row) {
      if (await honest.hasGrant(row.grantId)) return honest.insertRow(row);
      await honest.save(undefined, [row]);
      return true;
    },
  }),
  'insertRow() replaces a row that has expired, or whose grant was revoked or erased': (honest) => {
    const taken = new Set<string>();
    return {
      async insertRow(row) {
        if (taken.has(row.digest)) return false;
        taken.add(row.digest);
        return honest.insertRow(row);
      },
    };
  },
  'removeRow() removes a row only if its grant and data are unchanged': (honest) => ({
    async removeRow(row) {
      const found = await honest.find(row.kind, row.digest);
      return found ? honest.removeRow({ ...found, grantId: row.grantId }) : false;
    },
  }),
  'listRows() returns the unused, unexpired rows of the kinds, and no others': (honest) => ({
    listRows: (id) => honest.listRows(id, ['passkey', 'totp', 'identity']),
  }),
  'listRows() returns no rows of a revoked grant': (honest) => {
    const rows: Row[] = [];
    return {
      async insertRow(row) {
        rows.push(row);
        return honest.insertRow(row);
      },
      listRows: async (id, kinds) =>
        rows
          .filter((row) => row.grantId === id && kinds.includes(row.kind))
          .map((row) => Object.assign(row, { revokedAt: null })),
    };
  },
  'eraseGrants() erases grants with their rows, and no others': (honest) => ({
    eraseGrants: ({ kinds, ...filter }, limit) =>
      honest.eraseGrants({ kinds: [...kinds, 'consent'], ...filter }, limit),
  }),
  'eraseGrants() lets a grant with the same ID begin again, without its old rows': (honest) => ({
    eraseGrants: (filter) => honest.revokeGrants(filter),
  }),
  'insertRow() returns true to exactly one of many concurrent callers': (honest) => ({
    async insertRow(row) {
      const found = await honest.find(row.kind, row.digest);
      await late();
      if (!found) await honest.save(undefined, [row]);
      return !found;
    },
  }),
  'insertRow() replaces a row of a revoked grant for exactly one of many concurrent callers': (honest) => {
    const inserted = new Set<string>();
    return {
      async insertRow(row) {
        if (!inserted.has(row.digest)) {
          inserted.add(row.digest);
          return honest.insertRow(row);
        }
        await honest.save(undefined, [row]);
        return true;
      },
    };
  },
  'removeRow() returns true to exactly one of many concurrent callers': (honest) => ({
    async removeRow(row) {
      const found = await honest.find(row.kind, row.digest);
      await late();
      await honest.removeRow(row);
      return found !== undefined;
    },
  }),
  'insertRow() saves every field of a row of each kind, and uses its `lifetime`': (honest) => ({
    insertRow: ({ lifetime, ...row }) => honest.insertRow(row),
  }),
  'listRows() returns what `update()` has changed, with its key': (honest) => {
    const rows = new Map<string, Row>();
    return {
      async insertRow(row) {
        rows.set(row.digest, row);
        return honest.insertRow(row);
      },
      listRows: async (id, kinds) =>
        (await honest.listRows(id, kinds)).map((row) => Object.assign(row, { data: rows.get(row.digest)!.data })),
    };
  },
  // A storage that writes the whole row, with the state that it had when it was read.
  'update() and a concurrent revocation of the grant leave the row invisible': (honest) => {
    const changed = new Map<string, Row>();
    return {
      async update(from, to) {
        const isChanged = await honest.update(from, to);
        if (isChanged) changed.set(to.digest, to);
        return isChanged;
      },
      async find(kind, digest) {
        const row = changed.get(digest);
        return row ? { ...row, revokedAt: null } : honest.find(kind, digest);
      },
    };
  },
  'removeRow() and update() of one row return true to exactly one of many concurrent callers': (honest) => ({
    async removeRow(row) {
      const isUnchanged = (await honest.find(row.kind, row.digest))?.data === row.data;
      await late();
      const found = isUnchanged ? await honest.find(row.kind, row.digest) : undefined;
      return found ? honest.removeRow(found) : false;
    },
  }),
  'removeRow() and insertRow() together leave the row that the last of them has inserted': (honest) => {
    const removed = new Set<string>();
    return {
      async removeRow(row) {
        const isRemoved = await honest.removeRow(row);
        if (isRemoved) removed.add(row.digest);
        return isRemoved;
      },
      find: async (kind, digest) => (removed.has(digest) ? undefined : honest.find(kind, digest)),
    };
  },
  'removeRow() and insertRow() of another grant never both keep the row': (honest) => ({
    async removeRow(row) {
      await honest.eraseGrants({ kinds: ['account'], grantId: row.grantId }, 1);
      return false;
    },
  }),
};
