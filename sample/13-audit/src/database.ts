import { fileURLToPath } from 'node:url';
import libsql from 'libsql';
import { oauthEntities, oauthMigrations } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { AuditEntry, CreateAudit1767312000000 } from './audit-entry.js';

/** Opens an SQLite database in this process. `DATABASE_FILE=:memory:` writes no file. */
export function openDatabase(): Promise<DataSource> {
  return new DataSource({
    type: 'better-sqlite3',
    // libsql is compatible with better-sqlite3 and ships a compiled binary.
    driver: libsql,
    database: process.env.DATABASE_FILE ?? fileURLToPath(new URL('../audit.sqlite', import.meta.url)),
    entities: [AuditEntry, ...oauthEntities()],
    migrations: [CreateAudit1767312000000, ...oauthMigrations()],
    migrationsRun: true,
  }).initialize();
}
