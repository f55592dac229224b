import { setImmediate } from 'node:timers/promises';

import type { mongo } from 'mongoose';

import type { Database } from './collections.js';
import { isForgotten } from './mongoose-values.js';

/** Maximum number of documents to delete with one command. */
const MAX_BATCH = 10_000;

interface Expired {
  /** The time of the server before which documents are deleted. */
  before: Date;
  batchSize: number;
  /** After it is aborted, no further command begins. */
  signal: AbortSignal | undefined;
}

/** Deletes expired documents in batches. Returns the number of deleted documents. */
export async function pruneCollection(
  database: Database,
  name: 'tokens' | 'grants',
  { before, batchSize, signal }: Expired,
): Promise<number> {
  const limit = Math.min(Math.max(Math.trunc(batchSize) || 1, 1), MAX_BATCH);
  const run = <T>(command: (collection: mongo.Collection<Keyed>) => Promise<T>) =>
    database.run(name, (collection) => command(collection as unknown as mongo.Collection<Keyed>));
  for (let count = 0, start = new Date(0); ;) {
    if (signal?.aborted) return count;
    const keepUntil = { $gte: start, $lt: before };
    const expired = await run((collection) =>
      collection
        .find({ keepUntil }, { projection: { keepUntil: 1 } })
        .sort({ keepUntil: 1 })
        .limit(limit)
        .toArray(),
    );
    if (expired.length === 0) return count;
    const ids = expired.map(({ _id }) => _id);
    // Another process may have extended a document. Single-use values are remembered by the clock of the server, while
    // their `keepUntil` is by the clock of the process.
    const filter = {
      _id: { $in: ids },
      keepUntil,
      $or: [{ milliseconds: { $exists: false } }, { $expr: isForgotten }],
    };
    const { deletedCount } = await run((collection) => collection.deleteMany(filter));
    count += deletedCount;
    const last = expired.at(-1)!.keepUntil;
    if (expired.length < limit || (deletedCount === 0 && last.getTime() === start.getTime())) return count;
    start = last;
    // Waiting requests are handled between the batches.
    await setImmediate();
  }
}

interface Keyed {
  _id: string;
  keepUntil: Date;
  milliseconds?: number;
}
