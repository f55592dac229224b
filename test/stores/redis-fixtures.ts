import type { Client, User } from 'nest-oauth2/server';
import {
  hashSecret,
  newClientSecret,
  type RedisClient,
  RedisStore,
  type RedisStoreOptions,
} from 'nest-oauth2/stores/redis';

import { ALICE, SECRET, SPA, WEB } from '../support/models/model.js';

const OTHER_SECRET = 'another secret';

// Computed once for all stores, because hashing is slow by design.
const secretHash = await hashSecret(SECRET);
const otherSecretHash = await hashSecret(OTHER_SECRET);

export const BOB: User = { id: 'bob' };
export const OTHER: Client = { id: 'other', grants: WEB.grants, redirectUris: WEB.redirectUris };

export const users = {
  findById: (id: string) => [ALICE, BOB].find((user) => user['id'] === id),
  findByCredentials: (name: string, password: string) => (password === 'wonderland' ? users.findById(name) : undefined),
};

/** Returns a store with two users and two clients. */
export async function makeStore(client: RedisClient, options: Partial<RedisStoreOptions>): Promise<RedisStore> {
  // The deadline is long, so that a busy machine does not fail the tests.
  const store = new RedisStore({ client, users, deadline: 15, ...options });
  if (options.clients) return store;
  await store.saveClient({ ...WEB, secretHashes: [secretHash], scopes: ['read', 'write'] });
  await store.saveClient({ ...OTHER, secretHashes: [otherSecretHash] });
  await store.saveClient(SPA);
  return store;
}

/** Clients with generated secrets, whose verification needs no slow hash. */
const RANDOM = { web: newClientSecret(), other: newClientSecret() };

/** Returns the same store with these clients. */
export async function makeQuickStore(client: RedisClient, options: Partial<RedisStoreOptions>): Promise<RedisStore> {
  const store = await makeStore(client, options);
  await store.saveClient({ ...WEB, secretHashes: [RANDOM.web.secretHash], scopes: ['read', 'write'] });
  await store.saveClient({ ...OTHER, secretHashes: [RANDOM.other.secretHash] });
  return store;
}

/** The users and clients of the store, for the contract tests. */
export const FIXTURES = {
  client: { id: WEB.id, secret: SECRET },
  otherClient: { id: OTHER.id, secret: OTHER_SECRET },
  user: { ...ALICE, username: 'alice', password: 'wonderland' },
  scopes: ['read'],
};

/** The users and clients of `makeQuickStore()`, for the contract tests. */
export const QUICK_FIXTURES = {
  ...FIXTURES,
  client: { id: WEB.id, secret: RANDOM.web.secret },
  otherClient: { id: OTHER.id, secret: RANDOM.other.secret },
};
