import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import libsql from 'libsql';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { clients, users } from './demo-data.js';
import { CreateTables1767312000000, Note } from './tables.js';

/** Beside package.json. `DATABASE_FILE=:memory: npm start` leaves nothing behind. */
export const file = process.env.DATABASE_FILE || fileURLToPath(new URL('../quick-start.sqlite', import.meta.url));
export const inMemory = file === ':memory:';

/** SQLite, in this process: nothing else has to run. The tables of the library stand beside those of the application. */
export const database = new DataSource({
  // libsql has the interface of better-sqlite3, and a binary that nobody has to compile.
  type: 'better-sqlite3',
  driver: libsql,
  database: file,
  enableWAL: !inMemory,
  entities: [Note, ...oauthEntities()],
  migrations: [CreateTables1767312000000, ...oauthMigrations()],
  // Makes the tables at the first start. A larger system does it as a step of its own, before it starts.
  migrationsRun: true,
});

/** Opens the file. However often it was started before, this is what it finds: the demo's clients, and nothing expired. */
export async function openStore(): Promise<TypeOrmStore> {
  await database.initialize();
  const store = new TypeOrmStore(database, { users });
  for (const client of clients) await store.saveClient(client);
  await store.prune();
  return store;
}

/** What the log and the pages say of it. */
export const whereThingsAre = inMemory
  ? 'Everything is kept in memory and gone after a restart.'
  : `Everything is kept in ${basename(file)} and still there after a restart.`;
