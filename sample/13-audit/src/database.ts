import { fileURLToPath } from 'node:url';
import libsql from 'libsql';
import { oauthEntities, oauthMigrations } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { AuditEntry, CreateAudit1767312000000 } from './audit-entry.js';

/** SQLite, in this process. `DATABASE_FILE=:memory: npm start` leaves nothing behind. */
export function openDatabase(): Promise<DataSource> {
  return new DataSource({
    type: 'better-sqlite3',
    // libsql has the interface of better-sqlite3, and a binary that nobody has to compile.
    driver: libsql,
    database: process.env.DATABASE_FILE ?? fileURLToPath(new URL('../audit.sqlite', import.meta.url)),
    entities: [AuditEntry, ...oauthEntities()],
    migrations: [CreateAudit1767312000000, ...oauthMigrations()],
    migrationsRun: true,
  }).initialize();
}
