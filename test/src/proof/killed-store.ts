import libsql from 'libsql';
import { DataSource } from 'typeorm';
import { MemoryStore } from '../../../lib/stores/memory/index.js';
import { oauthEntities, oauthMigrations, TypeOrmStore } from '../../../lib/stores/typeorm/index.js';
import type { ProofOptions } from '../../../src/proof/proof-options.js';

/** The fault of a store that other processes cannot open. */
export const IN_MEMORY = 'a store in the memory of the process';

const users = { findById: (id: string) => ({ id }) };

/** Faults that only another process, or the end of this one, reveals. Each changes a correct store. */
export const FAULTS: Readonly<Record<string, (store: TypeOrmStore) => void>> = {
  none: () => undefined,
  'codes that are only marked in the memory of the process': (store) => {
    const used = new Set<string>();
    const { getAuthorizationCode, redeem, saveToken } = store;
    store.getAuthorizationCode = async (code) => (used.has(code) ? undefined : getAuthorizationCode.call(store, code));
    store.redeem = async (consumed, token, client, user) => {
      if (!('authorizationCode' in consumed)) return redeem.call(store, consumed, token, client, user);
      used.add(String(consumed.authorizationCode));
      return saveToken.call(store, token, client, user);
    };
  },
  'refresh tokens that are only marked in the memory of the process': (store) => {
    const used = new Set<string>();
    const { getRefreshToken, redeem, saveToken } = store;
    store.getRefreshToken = async (token) => (used.has(token) ? undefined : getRefreshToken.call(store, token));
    store.redeem = async (consumed, token, client, user) => {
      if ('authorizationCode' in consumed) return redeem.call(store, consumed, token, client, user);
      used.add(String(consumed.refreshToken));
      return saveToken.call(store, token, client, user);
    };
  },
  'access tokens that only their process knows': (store) => {
    const known = new Set<string>();
    const { getAccessToken, redeem } = store;
    store.redeem = async (consumed, token, client, user) => {
      known.add(token.accessToken);
      return redeem.call(store, consumed, token, client, user);
    };
    store.getAccessToken = async (token) => (known.has(token) ? getAccessToken.call(store, token) : undefined);
  },
  'revocations that other processes do not see': (store) => {
    store.revokeGrant = async () => true;
  },
};

/** The store of a fault. All faults but the last one have the database file that `place` names. */
export const proof: ProofOptions = {
  application: () => {
    throw new Error('This test does not start the application.');
  },
  store: async (place) => {
    const { file, fault } = JSON.parse(place) as { file: string; fault: string };
    if (fault === IN_MEMORY) return new MemoryStore({ users });
    const database = new DataSource({
      type: 'better-sqlite3',
      driver: libsql,
      database: file,
      entities: oauthEntities(),
      migrations: oauthMigrations(),
      migrationsRun: true,
    });
    const store = new TypeOrmStore(await database.initialize(), { users, deadline: 30 });
    FAULTS[fault]!(store);
    return { model: store, cleanUp: () => database.destroy() };
  },
};
