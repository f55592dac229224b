import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import libsql from 'libsql';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { clients, users } from './demo-data.js';
import { CreateTables1767312000000, Note } from './tables.js';

/** The database file. Default: `quick-start.sqlite` next to package.json. `DATABASE_FILE=:memory:` writes no file. */
export const file = process.env.DATABASE_FILE || fileURLToPath(new URL('../quick-start.sqlite', import.meta.url));
export const inMemory = file === ':memory:';

/** An SQLite database in this process. It contains the tables of the library and those of the application. */
export const database = new DataSource({
  // libsql is compatible with better-sqlite3 and ships a compiled binary.
  type: 'better-sqlite3',
  driver: libsql,
  database: file,
  enableWAL: !inMemory,
  entities: [Note, ...oauthEntities()],
  migrations: [CreateTables1767312000000, ...oauthMigrations()],
  // Creates the tables at the first start. A larger system runs migrations in a separate step before the start.
  migrationsRun: true,
});

/** Opens the database, saves the clients of this demo and deletes expired rows. */
export async function openStore(): Promise<TypeOrmStore> {
  await database.initialize();
  const store = new TypeOrmStore(database, { users });
  for (const client of clients) await store.saveClient(client);
  await store.prune();
  return store;
}

/** A sentence for the log and the pages that says where the data is stored. */
export const storageNotice = inMemory
  ? 'All data is stored in memory and is lost when the server stops.'
  : `All data is stored in ${basename(file)} and survives a restart.`;
