import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { clients, users } from './fixtures.js';
import { drivers } from './raw-drivers.js';

const DAY = 86_400_000;

export const urls = {
  postgres: process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test',
  mariadb: process.env.MARIADB_URL ?? 'mysql://root@127.0.0.1:3306/test',
};
const databases = {
  sqlite: { title: 'SQLite file (libsql)', options: sqliteFile },
  postgres: { title: 'PostgreSQL', options: (url) => ({ type: 'postgres', url }) },
  mariadb: { title: 'MariaDB', options: (url) => ({ type: 'mariadb', url }) },
};

/** Opens the TypeORM store. The floor runs prepared statements on the tables of the store by the driver alone. */
export async function open(kind, { url = urls[kind], connections: poolSize = 10, logger } = {}) {
  const { title, options } = databases[kind];
  const { folder, ...connection } = options(url);
  const prefix = `bench_${process.pid}_`;
  const migrationsTableName = `${prefix}migrations`;
  const source = new DataSource({
    ...connection,
    ...(folder ? {} : { poolSize }),
    entities: oauthEntities({ prefix }),
    migrations: oauthMigrations({ prefix }),
    migrationsTableName,
    ...(logger && { logger, logging: true }),
  });
  await source.initialize();
  await source.runMigrations();
  const raw = await drivers[kind](connection);

  const floor = {
    issue(row) {
      const { grantId, access, refresh, clientId, userId, scope, now, accessExpiresAt, refreshExpiresAt } = row;
      const expiresOn = Math.floor(refreshExpiresAt / DAY);
      const grant = [grantId, clientId, userId, 'tokens', scope, null, now, now, refreshExpiresAt, expiresOn, 0, null];
      const issued = [grantId, clientId, userId, scope, null];
      const accessRow = [access, 'access', ...issued, accessExpiresAt, null];
      return raw.issue(prefix, grant, [...accessRow, refresh, 'refresh', ...issued, refreshExpiresAt, null]);
    },
    check: ({ access }) => raw.check(prefix, access),
  };
  return { title, store: new TypeOrmStore(source, { clients, users, prefix }), storeWith, floor, close };

  async function storeWith(kept) {
    const store = new TypeOrmStore(source, { users, prefix });
    for (const client of kept) await store.saveClient(client);
    return store;
  }

  async function close() {
    await raw.close();
    await source.undoLastMigration();
    await source.query(`DROP TABLE ${migrationsTableName}`);
    await source.destroy();
    if (folder) rmSync(folder, { recursive: true });
  }
}

function sqliteFile() {
  const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-bench-'));
  return { type: 'better-sqlite3', driver: libsql, database: join(folder, 'oauth.sqlite'), enableWAL: true, folder };
}
