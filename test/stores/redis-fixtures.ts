import type { Client, User } from 'nest-oauth2/server';
import {
  hashSecret,
  newClientSecret,
  type RedisClient,
  RedisStore,
  type RedisStoreOptions,
} from 'nest-oauth2/stores/redis';

import { ALICE, SECRET, SPA, WEB } from '../support/model.js';

const OTHER_SECRET = 'another secret';

// Once for all stores: a hash is slow on purpose.
const secretHash = await hashSecret(SECRET);
const otherSecretHash = await hashSecret(OTHER_SECRET);

export const BOB: User = { id: 'bob' };
export const OTHER: Client = { id: 'other', grants: WEB.grants, redirectUris: WEB.redirectUris };

export const users = {
  findById: (id: string) => [ALICE, BOB].find((user) => user['id'] === id),
  findByCredentials: (name: string, password: string) => (password === 'wonderland' ? users.findById(name) : undefined),
};

/** A store that knows two users and two clients. */
export async function makeStore(client: RedisClient, options: Partial<RedisStoreOptions>): Promise<RedisStore> {
  // A busy machine takes its time, and that is no finding.
  const store = new RedisStore({ client, users, deadline: 15, ...options });
  if (options.clients) return store;
  await store.saveClient({ ...WEB, secretHashes: [secretHash], scopes: ['read', 'write'] });
  await store.saveClient({ ...OTHER, secretHashes: [otherSecretHash] });
  await store.saveClient(SPA);
  return store;
}

/** Clients with secrets that are random: to try one costs no slow hash. */
const RANDOM = { web: newClientSecret(), other: newClientSecret() };

/** The same store with those. */
export async function makeQuickStore(client: RedisClient, options: Partial<RedisStoreOptions>): Promise<RedisStore> {
  const store = await makeStore(client, options);
  await store.saveClient({ ...WEB, secretHashes: [RANDOM.web.secretHash], scopes: ['read', 'write'] });
  await store.saveClient({ ...OTHER, secretHashes: [RANDOM.other.secretHash] });
  return store;
}

/** What the store knows, for the kit. */
export const FIXTURES = {
  client: { id: WEB.id, secret: SECRET },
  otherClient: { id: OTHER.id, secret: OTHER_SECRET },
  user: { ...ALICE, username: 'alice', password: 'wonderland' },
  scopes: ['read'],
};

/** What the one of `makeQuickStore()` knows. */
export const QUICK_FIXTURES = {
  ...FIXTURES,
  client: { id: WEB.id, secret: RANDOM.web.secret },
  otherClient: { id: OTHER.id, secret: RANDOM.other.secret },
};
