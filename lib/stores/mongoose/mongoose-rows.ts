import { randomUUID } from 'node:crypto';

import type { mongo } from 'mongoose';

import type { ConsumedRow, GrantRow, Row, RowKey } from '../contract/storage.js';
import type { Database } from './collections.js';
import { dateOf, type PendingRow, requireStorable, type RowDocument, rowDocument, rowId } from './documents.js';
import type { MongooseGrants } from './mongoose-grants.js';

/** Number of attempts to insert a row while concurrent calls insert and remove rows with the same key. */
const ATTEMPTS = 10;

/** Stores the rows of codes and tokens. */
export class MongooseRows {
  constructor(
    private readonly database: Database,
    private readonly grants: MongooseGrants,
  ) {}

  async insert(rows: readonly Row[], pending?: PendingRow): Promise<void> {
    if (rows.length === 0) return;
    const documents = await this.documentsOf(rows);
    if (pending) for (const document of documents) document.pending = pending;
    await this.database.run('tokens', (tokens) => tokens.insertMany(documents, { ordered: false }));
  }

  async consume(key: RowKey): Promise<boolean> {
    return (await this.consumeFor(key, {})) !== undefined;
  }

  /**
   * Marks a row as used and saves the rows that replace it. MongoDB changes one document atomically, so one write must
   * decide: the write that marks the row as used. The new rows are written before it, as pending. A pending row names
   * the attempt that wrote it, and exists for callers only if the used row names the same attempt.
   *
   * If the process stops before the deciding write, nothing has changed for callers. If it stops afterwards, `settle()`
   * finishes the remaining writes when one of the new rows is used. So no transaction is necessary, and a server without
   * a replica set works too.
   */
  async consumeAndSave({ data, ...key }: ConsumedRow, grant: GrantRow, rows: readonly Row[]): Promise<boolean> {
    const [attempt, usedRow] = [randomUUID(), rowId(key)];
    const extension = { lastUsedAt: dateOf(grant.lastUsedAt), expiresAt: new Date(grant.expiresAt) };
    const { lastUsedAt, expiresAt: grantExpiresAt } = extension;
    const pending = { usedRow, attempt, lastUsedAt, grantExpiresAt };
    await Promise.all([this.insert(rows, pending), this.grants.keep(grant.id, grantExpiresAt)]);
    const ids = rows.map(rowId);
    const keepUntil = new Date(Math.max(...rows.map(({ expiresAt }) => expiresAt), 0));
    const used = await this.consumeFor(key, { attempt, keepUntil, data });
    if (!used) {
      // Pending rows of an attempt that did not decide are never found. They also expire if they cannot be deleted.
      const remove = this.database.run('tokens', (tokens) =>
        tokens.deleteMany({ _id: { $in: ids }, 'pending.attempt': attempt }),
      );
      await remove.catch(() => undefined);
      return false;
    }
    // The tokens are valid already. If these writes fail, `settle()` repeats them.
    await Promise.all([this.activate(ids, used), this.grants.extend(grant.id, extension)]).catch(() => undefined);
    return true;
  }

  /**
   * Finishes a `consumeAndSave()` that stopped after it had marked the used row. Returns `false` if it stopped before,
   * so that the pending row does not exist for callers.
   */
  async settle({ _id, grantId, pending }: Pick<RowDocument, '_id' | 'grantId' | 'pending'>): Promise<boolean> {
    if (!pending) return true;
    const { usedRow, attempt, lastUsedAt, grantExpiresAt: expiresAt } = pending;
    const used = await this.database.run('tokens', (tokens) =>
      tokens.findOne({ _id: usedRow, attempt }, { projection: { _id: 1 } }),
    );
    if (!used) return false;
    await this.grants.extend(grantId, { lastUsedAt, expiresAt });
    await this.activate([_id]);
    return true;
  }

  async update(from: Row, to: Row): Promise<boolean> {
    const { grantId, userId, scope, data } = to;
    const set: Partial<RowDocument> = { grantId, userId: requireStorable(userId), scope, data };
    if (to.lifetime !== undefined) {
      set.expiresAt = new Date((await this.database.readClock()) + Math.ceil(to.lifetime));
      set.keepUntil = set.expiresAt;
    }
    const filter = { _id: rowId(from), data: from.data, usedAt: null };
    const { matchedCount } = await this.database.run('tokens', (tokens) => tokens.updateOne(filter, { $set: set }));
    return matchedCount === 1;
  }

  /**
   * Inserts a row, or replaces one with the same key.
   * @param isFree returns whether a row with this key may be replaced, because it has expired or its grant is not active
   */
  async insertOne(row: Row, isFree: () => Promise<boolean>): Promise<boolean> {
    const [saved] = (await this.documentsOf([row])) as [RowDocument];
    const document = { ...saved, insertion: randomUUID() };
    const { _id } = document;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const inserted = await this.database.runUnlessDuplicate('tokens', (tokens) => tokens.insertOne(document));
      if (inserted) return true;
      const taken = await this.database.run('tokens', (tokens) => tokens.findOne({ _id }));
      if (!taken) continue;
      if (!(await isFree())) return false;
      const { grantId, insertion = null } = taken;
      const filter = { _id, grantId, insertion };
      const { matchedCount } = await this.database.run('tokens', (tokens) => tokens.replaceOne(filter, document));
      if (matchedCount === 1) return true;
    }
    return false;
  }

  /** Deletes an unused row whose grant and data are unchanged. */
  async remove({ kind, digest, grantId, data }: Row): Promise<boolean> {
    const filter = { _id: rowId({ kind, digest }), grantId, data, usedAt: null, pending: null };
    return (await this.database.run('tokens', (tokens) => tokens.deleteOne(filter))).deletedCount === 1;
  }

  /** Deletes all rows of grants. */
  async deleteOf(grantIds: string[]): Promise<void> {
    await this.database.run('tokens', (tokens) => tokens.deleteMany({ grantId: { $in: grantIds } }));
  }

  /** Marks an unused row as used. Returns the row as it was before, or `undefined` if it is used or does not exist. */
  private async mark(key: RowKey, { data, attempt, keepUntil }: Marking): Promise<RowDocument | undefined> {
    const set = { ...(data !== undefined && { data }), ...(attempt !== undefined && { attempt }) };
    const update = {
      $currentDate: { usedAt: true },
      ...(Object.keys(set).length > 0 && { $set: set }),
      ...(keepUntil && { $max: { keepUntil } }),
    } as const;
    const filter = { _id: rowId(key), usedAt: null, pending: null };
    const before = await this.database.run('tokens', (tokens) =>
      tokens.findOneAndUpdate(filter, update, { returnDocument: 'before', projection: { expiresAt: 1 } }),
    );
    return before ?? undefined;
  }

  private async consumeFor(key: RowKey, marking: Marking): Promise<RowDocument | undefined> {
    return (await this.mark(key, marking)) ?? ((await this.settleUnread(key)) ? this.mark(key, marking) : undefined);
  }

  /** Finishes a `consumeAndSave()` that wrote this row. Returns `false` if the row is not pending. */
  private async settleUnread(key: RowKey): Promise<boolean> {
    const row = await this.database.run('tokens', (tokens) =>
      tokens.findOne({ _id: rowId(key), pending: { $ne: null } }, { projection: { grantId: 1, pending: 1 } }),
    );
    return row !== null && this.settle(row);
  }

  /** Marks pending rows as saved. Then the used row need not be kept longer than until its own expiry. */
  private async activate(ids: readonly string[], used?: RowDocument): Promise<void> {
    const writes: mongo.AnyBulkWriteOperation<RowDocument>[] = ids.map((_id) => ({
      updateOne: { filter: { _id }, update: { $unset: { pending: '' } } },
    }));
    if (used) {
      const { _id, expiresAt } = used;
      writes.push({ updateOne: { filter: { _id }, update: { $set: { keepUntil: expiresAt } } } });
    }
    await this.database.run('tokens', (tokens) => tokens.bulkWrite(writes, { ordered: true }));
  }

  /** Returns the documents of new rows. The clock of the server is read only if a row has a `lifetime`. */
  private async documentsOf(rows: readonly Row[]): Promise<RowDocument[]> {
    for (const { clientId, userId } of rows) [clientId, userId].forEach(requireStorable);
    if (rows.every(({ lifetime }) => lifetime === undefined)) return rows.map(rowDocument);
    const now = await this.database.readClock();
    return rows.map((row) =>
      rowDocument(row.lifetime === undefined ? row : { ...row, expiresAt: now + Math.ceil(row.lifetime) }),
    );
  }
}

/** How to mark a row as used. */
interface Marking {
  /** The new data of the row. If omitted, it is unchanged. */
  data?: string | undefined;
  /** The ID of the `consumeAndSave()`. */
  attempt?: string;
  /** The time until which the row must be kept, because pending rows refer to it. */
  keepUntil?: Date;
}
