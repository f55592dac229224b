import type { Connection } from 'mongoose';
import { hashSecret, MongooseStore, type MongooseStoreOptions } from 'nest-oauth2/stores/mongoose';

import { ALICE, SECRET, WEB } from '../support/models/model.js';
import { FIXTURES, OTHER, users } from './redis-fixtures.js';

export { FIXTURES, users };

const secretHashes = [await hashSecret(SECRET)];
const otherSecretHashes = [await hashSecret(FIXTURES.otherClient.secret)];

/** Returns a store with two users and two clients. */
export async function makeStore(
  connection: Connection,
  options: Partial<MongooseStoreOptions> = {},
): Promise<MongooseStore> {
  // The deadline is long, so that a busy machine does not fail the tests.
  const store = new MongooseStore(connection, { users, deadline: 15, ...options });
  await store.createIndexes();
  if (options.clients) return store;
  await store.saveClient({ ...WEB, secretHashes, scopes: ['read', 'write'] });
  await store.saveClient({ ...OTHER, secretHashes: otherSecretHashes });
  return store;
}

export { ALICE, WEB };
