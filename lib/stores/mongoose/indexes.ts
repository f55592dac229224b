import { InvalidArgumentError } from '../../errors/index.js';
import type { CollectionNames, Database } from './collections.js';

/**
 * Seconds after which MongoDB itself deletes a document that need not be kept any longer, unless `prune()` has deleted
 * it. They are more than any difference between the clocks of the servers.
 */
const EXPIRY = { key: { keepUntil: 1 }, name: 'oauth_expiry', expireAfterSeconds: 86_400 } as const;

/** The indexes of each collection. All other look-ups use the index of `_id`. */
const INDEXES = {
  tokens: [EXPIRY, { key: { grantId: 1 }, name: 'oauth_grant' }],
  grants: [
    EXPIRY,
    { key: { userId: 1, kind: 1, _id: 1 }, name: 'oauth_user' },
    { key: { clientId: 1, _id: 1 }, name: 'oauth_client' },
  ],
} as const;

const COLLECTIONS = Object.keys(INDEXES) as (keyof typeof INDEXES)[];

/** Creates the indexes of a store. An index that exists stays as it is. */
export async function createIndexes(database: Database): Promise<void> {
  for (const name of COLLECTIONS)
    await database.run<keyof CollectionNames, unknown>(name, (collection) =>
      collection.createIndexes([...INDEXES[name]]),
    );
}

/** @throws {InvalidArgumentError} If an index is missing. */
export async function verifyIndexes(database: Database): Promise<void> {
  for (const name of COLLECTIONS) {
    // A collection that does not exist has no indexes: the driver reports it as an error.
    const found = await database.run<keyof CollectionNames, { name?: string }[]>(name, (collection) =>
      collection.indexes().catch((error: { code?: unknown }) => {
        if (error.code !== NAMESPACE_NOT_FOUND) throw error;
        return [];
      }),
    );
    const missing = INDEXES[name].filter((index) => !found.some((each) => each.name === index.name));
    if (missing.length === 0) continue;
    const names = missing.map((index) => `\`${index.name}\``).join(', ');
    throw new InvalidArgumentError(
      `The collection \`${database.names[name]}\` of MongooseStore lacks indexes: ${names}. ` +
        'Call `store.createIndexes()` when you deploy, or remove `autoIndex: false` from the options of the store',
    );
  }
}

const NAMESPACE_NOT_FOUND = 26;
