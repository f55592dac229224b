import { randomUUID } from 'node:crypto';

import type { GrantFilter, Row, RowKind, RowKinds, StoredRow } from '../contract/storage.js';
import type { RunScript } from './connection.js';
import type { Keys } from './keys.js';
import type { RedisGrants } from './redis-grants.js';
import { ERASE_ROW, INSERT_ROW, REMOVE_ROW } from './row-scripts.js';
import { LEAVE_LIST, LIST_GRANT, LIST_PAGE, REMOVE } from './scripts.js';
import { READ_TEXT } from './value-scripts.js';

/** Number of attempts to insert a row while concurrent calls insert and remove rows with the same key. */
const ATTEMPTS = 10;

/** The methods of a storage that inserted rows need. */
interface RowStorage {
  find(kind: RowKind, digest: string): Promise<StoredRow | undefined>;
  /** Returns the text of a row, and its lifetime in milliseconds. */
  valuesOf(row: Row): string[];
}

/**
 * The rows that are inserted one by one. Each has a random ID of its insertion, and its grant has a list of these rows.
 * Each script accesses one key only. The list gets the entry of a row before the row is inserted, so that it has an entry
 * for each row.
 */
export class InsertedRows {
  constructor(
    private readonly run: RunScript,
    private readonly keys: Keys,
    private readonly grants: RedisGrants,
    private readonly storage: RowStorage,
  ) {}

  async insert(row: Row): Promise<boolean> {
    const { kind, digest, grantId } = row;
    const began = await this.grants.beginningOf(grantId);
    if (began === undefined) return false;
    const insertion = randomUUID();
    const list = this.keys.rowsOf(grantId);
    const [json, ttl] = this.storage.valuesOf(row) as [string, string];
    const entry = `${kind} ${digest} ${insertion}`;
    await this.run(LIST_GRANT, list, entry, ttl);
    if (await this.put(row, `${json.slice(0, -1)},"insertion":"${insertion}"}`, ttl, insertion)) {
      // A grant that was revoked or erased meanwhile must not get the row, also if it was saved again.
      if ((await this.grants.beginningOf(grantId)) === began) return true;
      await this.run(ERASE_ROW, this.keys.row(kind, digest), grantId);
    }
    await this.run(LEAVE_LIST, list, entry);
    return false;
  }

  async remove(row: Row): Promise<boolean> {
    const { kind, digest, grantId } = row;
    const removed = await this.run(REMOVE_ROW, this.keys.row(kind, digest), this.storage.valuesOf(row)[0]!);
    if (typeof removed !== 'string') return false;
    const [, insertion] = /"insertion":"(.+)"/.exec(removed) ?? [];
    if (insertion) await this.run(LEAVE_LIST, this.keys.rowsOf(grantId), `${kind} ${digest} ${insertion}`);
    return true;
  }

  async list(grantId: string, kinds: RowKinds): Promise<StoredRow[]> {
    const keys = (await this.keysOf(grantId)).filter(([kind]) => kinds.includes(kind));
    const rows = await Promise.all(keys.map(([kind, digest]) => this.storage.find(kind, digest)));
    return rows.filter((row) => row !== undefined && row.grantId === grantId && row.revokedAt === null) as StoredRow[];
  }

  /**
   * Erases grants with the rows in their lists. If an earlier call ended before it had erased the rows of a grant, it
   * erases them: otherwise a new grant with this ID would get them.
   */
  async erase(filter: GrantFilter, limit: number): Promise<number> {
    const grants = await this.grants.toErase(filter, limit);
    for (const grant of grants) {
      // Without the grant, no row is found.
      await this.grants.delete(grant);
      await this.eraseRows(grant.id);
    }
    const { grantId } = filter;
    if (grantId !== undefined && !(await this.grants.has(grantId))) await this.eraseRows(grantId);
    return grants.length;
  }

  private async eraseRows(grantId: string): Promise<void> {
    const rows = await this.keysOf(grantId);
    await Promise.all(rows.map(([kind, digest]) => this.run(ERASE_ROW, this.keys.row(kind, digest), grantId)));
    await this.run(REMOVE, this.keys.rowsOf(grantId));
  }

  /** Inserts the text of a row, or replaces a row that `find()` does not return. */
  private async put({ kind, digest }: Row, text: string, ttl: string, insertion: string): Promise<boolean> {
    const key = this.keys.row(kind, digest);
    let expected = '';
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if ((await this.run(INSERT_ROW, key, expected, text, ttl, insertion)) === 1) return true;
      expected = ((await this.run(READ_TEXT, key)) as string | null) ?? '';
      if (expected !== '' && (await this.storage.find(kind, digest))) return false;
    }
    return false;
  }

  /** Returns the keys of the rows in the list of a grant. Some of the rows may not exist. */
  private async keysOf(grantId: string): Promise<[kind: RowKind, digest: string][]> {
    const keys = new Map<string, [RowKind, string]>();
    let cursor = '0';
    do {
      const [next, entries] = (await this.run(LIST_PAGE, this.keys.rowsOf(grantId), cursor)) as [string, string[]];
      for (const entry of entries.filter((_, index) => index % 2 === 0)) {
        const [kind, digest] = entry.split(' ') as [RowKind, string];
        keys.set(`${kind} ${digest}`, [kind, digest]);
      }
      cursor = next;
    } while (cursor !== '0');
    return [...keys.values()];
  }
}
