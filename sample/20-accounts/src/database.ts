import { fileURLToPath } from 'node:url';
import libsql from 'libsql';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { issuer } from './address.js';
import { scopes } from './branding.js';
import { Account, CreateTables1767312000000, Note } from './tables.js';
import type { UsersService } from './users.service.js';

/** The database file. `DATABASE_FILE=:memory:` writes no file. */
export const file = process.env.DATABASE_FILE || fileURLToPath(new URL('../accounts.sqlite', import.meta.url));

/** Opens an SQLite database in this process. */
export function openDatabase(): Promise<DataSource> {
  return new DataSource({
    type: 'better-sqlite3',
    // libsql is compatible with better-sqlite3 and ships a compiled binary.
    driver: libsql,
    database: file,
    enableWAL: file !== ':memory:',
    entities: [Account, Note, ...oauthEntities()],
    migrations: [CreateTables1767312000000, ...oauthMigrations()],
    migrationsRun: true,
  }).initialize();
}

/** Creates the store, and saves the client of this demo. */
export async function openStore(database: DataSource, users: UsersService): Promise<TypeOrmStore> {
  const store = new TypeOrmStore(database, { users });
  await store.saveClient({
    id: 'reader',
    name: 'Reader',
    // The client runs in the browser and has no secret. PKCE protects its authorization codes.
    tokenEndpointAuthMethod: 'none',
    grants: ['authorization_code'],
    redirectUris: [`${issuer}/reader`],
    scopes,
  });
  return store;
}
