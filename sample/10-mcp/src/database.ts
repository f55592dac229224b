import { fileURLToPath } from 'node:url';
import libsql from 'libsql';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { CreateNotes1767312000000, Note } from './note.js';

/** SQLite, in this process. `DATABASE_FILE=:memory: npm start` leaves nothing behind. */
export function openDatabase(): Promise<DataSource> {
  return new DataSource({
    type: 'better-sqlite3',
    // libsql has the interface of better-sqlite3, and a binary that nobody has to compile.
    driver: libsql,
    database: process.env.DATABASE_FILE ?? fileURLToPath(new URL('../notes.sqlite', import.meta.url)),
    entities: [Note, ...oauthEntities()],
    migrations: [CreateNotes1767312000000, ...oauthMigrations()],
    migrationsRun: true,
  }).initialize();
}

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };

/** In a system of your own the users are in a table, and passwords are hashed: see 03-typeorm-postgres. */
const users = {
  findById: (id: string) => id === alice.id && alice,
  findByCredentials: (name: string, password: string) => name === 'alice' && password === 'wonderland' && alice,
};

/** No client is in it: those of MCP say themselves what they are. */
export const openStore = (database: DataSource) => new TypeOrmStore(database, { users });
