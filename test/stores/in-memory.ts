import { hashSecret, MemoryStore, type StoredClient, type Users } from 'nest-oauth2/stores/memory';
import type { MongooseStore } from 'nest-oauth2/stores/mongoose';
import type { RedisStore } from 'nest-oauth2/stores/redis';
import type { TypeOrmStore } from 'nest-oauth2/stores/typeorm';

import { CALLBACK, SECRET } from '../support/models/model.js';

export const WEB: StoredClient = {
  id: 'web',
  secretHashes: [await hashSecret(SECRET)],
  grants: ['authorization_code', 'client_credentials', 'password', 'refresh_token'],
  redirectUris: [CALLBACK],
  scopes: ['read', 'write'],
};

/** A user lookup that finds every id. */
export const users: Users = {
  findByCredentials: (username, password) => password === 'wonderland' && { id: username },
  findById: (id) => ({ id }),
};

export type AnyStore = MemoryStore | MongooseStore | RedisStore | TypeOrmStore;

export interface OpenStore {
  store: AnyStore;
  /** Another store on the same data, as another process has it. In memory it is the same store. */
  another: AnyStore;
  close(): Promise<unknown>;
}

export interface KindOfStore {
  name: string;
  open(): Promise<OpenStore>;
}

export const IN_MEMORY: KindOfStore = {
  name: 'memory',
  async open() {
    const store = new MemoryStore({ clients: [WEB], users });
    return { store, another: store, close: async () => undefined };
  },
};
