import { setImmediate } from 'node:timers/promises';

import type { mongo } from 'mongoose';

import type { Database } from './collections.js';
import type { RevocationCounts } from './documents.js';

/** The collections whose documents count revocations, and the field of a grant that refers to such a document. */
const REFERENCES = { clients: 'clientId', users: 'userId' } as const;

/** The name of a collection whose documents count revocations. */
export type CountingCollection = keyof typeof REFERENCES;

/** Maximum number of documents to examine at once. */
const MAX_BATCH = 1000;

/**
 * Reads the document that counts the revocations of a client or user, for a grant that is saved next. If `prune()` is
 * about to delete the document, prevents it: otherwise the grant would count as revoked.
 */
export async function readCounts<T extends RevocationCounts>(
  database: Database,
  name: CountingCollection,
  id: string,
  projection: Record<string, 1>,
): Promise<T | null> {
  const run = <R>(command: (collection: mongo.Collection<RevocationCounts>) => Promise<R>) =>
    database.run(name, (collection) => command(collection as unknown as mongo.Collection<RevocationCounts>));
  for (;;) {
    const options = { projection: { ...projection, unusedSince: 1 } };
    const found = await run((collection) => collection.findOne<T>({ _id: id }, options));
    if (!found?.unusedSince) return found;
    const kept = await run((collection) =>
      collection.findOneAndUpdate(
        { _id: id, unusedSince: { $ne: null } },
        { $unset: { unusedSince: '' } },
        { returnDocument: 'after', projection },
      ),
    );
    // Otherwise `prune()` has deleted the document, or another call has kept it.
    if (kept) return kept as unknown as T;
  }
}

interface Unused {
  /** Deletes the documents that were found without grants before this time of the server. */
  before: Date;
  batchSize: number;
  /** After it is aborted, no further command begins. */
  signal: AbortSignal | undefined;
}

/**
 * Deletes documents that count the revocations of users, and of clients that do not exist, after all grants to which
 * they apply are deleted. A first call marks a document without grants. A call at least a day later deletes it, so that
 * no request in progress saves a grant with an older count. Returns the number of deleted documents.
 */
export async function pruneCounts(
  database: Database,
  name: CountingCollection,
  { before, batchSize, signal }: Unused,
): Promise<number> {
  const limit = Math.min(Math.max(Math.trunc(batchSize) || 1, 1), MAX_BATCH);
  const run = <T>(command: (collection: mongo.Collection<RevocationCounts>) => Promise<T>) =>
    database.run(name, (collection) => command(collection as unknown as mongo.Collection<RevocationCounts>));
  for (let count = 0, after = ''; ;) {
    if (signal?.aborted) return count;
    const isCandidate = { metadata: null, $or: [{ unusedSince: null }, { unusedSince: { $lt: before } }] };
    const page = await run((collection) =>
      collection
        .find({ ...isCandidate, _id: { $gt: after } }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
    const pageIds = page.map(({ _id }) => _id);
    const ids = await withoutGrants(database, REFERENCES[name], pageIds);
    if (ids.length > 0) {
      // Another process may have changed a document since it was read.
      const filter = { _id: { $in: ids }, metadata: null };
      count += (await run((collection) => collection.deleteMany({ ...filter, unusedSince: { $lt: before } })))
        .deletedCount;
      await run((collection) =>
        collection.updateMany({ ...filter, unusedSince: null }, { $currentDate: { unusedSince: true } }),
      );
    }
    if (page.length < limit) return count;
    after = pageIds.at(-1)!;
    // Waiting requests are handled between the batches.
    await setImmediate();
  }
}

/** Returns the IDs of clients or users that no stored grant has. */
async function withoutGrants(database: Database, field: 'clientId' | 'userId', ids: string[]): Promise<string[]> {
  if (ids.length === 0) return ids;
  const used = await database.run('grants', (grants) => grants.distinct(field, { [field]: { $in: ids } }));
  const usedIds = new Set(used);
  return ids.filter((id) => !usedIds.has(id));
}
