import { fileURLToPath } from 'node:url';
import libsql from 'libsql';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { CreateNotes1767312000000, Note } from './note.js';

/** Opens an SQLite database in this process. `DATABASE_FILE=:memory:` writes no file. */
export function openDatabase(): Promise<DataSource> {
  return new DataSource({
    type: 'better-sqlite3',
    // libsql is compatible with better-sqlite3 and ships a compiled binary.
    driver: libsql,
    database: process.env.DATABASE_FILE ?? fileURLToPath(new URL('../notes.sqlite', import.meta.url)),
    entities: [Note, ...oauthEntities()],
    migrations: [CreateNotes1767312000000, ...oauthMigrations()],
    migrationsRun: true,
  }).initialize();
}

const alice = { id: '1', username: 'alice', name: 'Alice Liddell' };

/** The users of this demo. In production, store users in a table and hash passwords, as in 03-typeorm-postgres. */
export const users = {
  findById: (id: string) => id === alice.id && alice,
  findByCredentials: (name: string, password: string) => name === 'alice' && password === 'wonderland' && alice,
};

/** Creates the store. It needs no saved clients, because MCP clients register themselves or publish their metadata. */
export const openStore = (database: DataSource) => new TypeOrmStore(database, { users });
