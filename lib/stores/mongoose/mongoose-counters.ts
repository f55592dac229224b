import { randomUUID } from 'node:crypto';

import type { Count } from '../../model/counts.js';
import type { Database } from './collections.js';
import type { ValueDocument } from './documents.js';
import { isForgotten } from './mongoose-values.js';

const NONE: Count = Object.freeze({ count: 0, expiresIn: 0 });

/** An aggregation condition for counters whose window is open. */
const isOpen = { $not: [isForgotten] };

/** Stores counters. Each call is one write of a document, and opening a window is a second one. */
export class MongooseCounters {
  constructor(private readonly database: Database) {}

  async add(digest: string, milliseconds: number, by: number): Promise<Count> {
    const id = `count ${digest}`;
    if (by === 0) return this.read(id);
    if (by < 0) return this.takeBack(id, by);
    for (;;) {
      const changed = await this.change({ _id: id, $expr: isOpen }, { $inc: { count: by } });
      if (changed) return stateOf(changed);
      if (await this.open(id, milliseconds, by)) return { count: by, expiresIn: milliseconds };
      // Another call has opened a window meanwhile.
    }
  }

  /** Opens a window. Returns `false` if one is open. */
  private async open(id: string, milliseconds: number, count: number): Promise<boolean> {
    const attempt = randomUUID();
    const $set = { milliseconds, count, keepUntil: new Date(Date.now() + milliseconds) };
    const $currentDate = { usedAt: true, changedAt: true } as const;
    // The filter matches no existing document, since the attempt is new. So an existing one is reported as a duplicate.
    const inserted = await this.database.runUnlessDuplicate('values', (values) =>
      values.updateOne({ _id: id, attempt }, { $set, $currentDate }, { upsert: true }),
    );
    if (inserted) return true;
    const again = { $set: { ...$set, attempt }, $currentDate };
    const { modifiedCount } = await this.database.run('values', (values) =>
      values.updateOne({ _id: id, $expr: isForgotten }, again),
    );
    return modifiedCount === 1;
  }

  /** Subtracts from an open window. A lower count than the subtracted number becomes 0. */
  private async takeBack(id: string, by: number): Promise<Count> {
    for (;;) {
      const enough = { _id: id, count: { $gte: -by }, $expr: isOpen };
      const changed =
        (await this.change(enough, { $inc: { count: by } })) ??
        (await this.change({ ...enough, count: { $lt: -by } }, { $set: { count: 0 } }));
      if (changed) return stateOf(changed);
      const state = await this.read(id);
      // Otherwise other calls have changed the count between both writes.
      if (state.expiresIn === 0) return state;
    }
  }

  private change(filter: object, update: object): Promise<ValueDocument | null> {
    const changes = { ...update, $currentDate: { changedAt: true } } as const;
    return this.database.run('values', (values) =>
      values.findOneAndUpdate(filter, changes, { returnDocument: 'after' }),
    );
  }

  private async read(id: string): Promise<Count> {
    const stages = [{ $match: { _id: id } }, { $addFields: { changedAt: '$$NOW' } }];
    const [found] = await this.database.run('values', (values) => values.aggregate<ValueDocument>(stages).toArray());
    const state = found ? stateOf(found) : NONE;
    return state.expiresIn > 0 ? state : NONE;
  }
}

function stateOf({ count, usedAt, milliseconds, changedAt }: ValueDocument): Count {
  const expiresIn = usedAt!.getTime() + milliseconds! - changedAt!.getTime();
  return { count: count!, expiresIn: Math.max(0, expiresIn) };
}
