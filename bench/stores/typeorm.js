import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import libsql from 'libsql';
import { oauthEntities, oauthMigrations, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { clients, users } from './fixtures.js';

const prefix = 'bench_oauth_';
const numbered = { placeholder: (index) => `$${index}` };
const databases = {
  sqlite: { title: 'SQLite file', options: sqliteFile, driver: sqlite, placeholder: () => '?' },
  postgres: {
    title: 'PostgreSQL',
    options: () => ({ type: 'postgres', url: process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test' }),
    driver: postgres,
    ...numbered,
  },
  mariadb: {
    title: 'MariaDB',
    options: () => ({ type: 'mariadb', url: process.env.MARIADB_URL ?? 'mysql://root@127.0.0.1:3306/test' }),
    driver: mariadb,
    placeholder: () => '?',
  },
};

/** The floor runs prepared statements on the tables of the store, by the driver alone: two INSERT, or one SELECT. */
export async function open(kind) {
  const { title, options, driver, placeholder } = databases[kind];
  const { folder, ...connection } = options();
  const source = new DataSource({
    ...connection,
    entities: oauthEntities({ prefix }),
    migrations: oauthMigrations({ prefix }),
    migrationsTableName: `${prefix}migrations`,
  });
  await source.initialize();
  await source.runMigrations();
  const raw = await driver(connection);
  const { issue, check } = statements(placeholder);

  const floor = {
    async issue({ grantId, access, refresh, clientId, userId, scope, now, accessExpiresAt, refreshExpiresAt }) {
      const expiresOn = Math.floor(refreshExpiresAt / 86_400_000);
      await raw.run(issue.grant, [grantId, clientId, userId, scope, now, now, refreshExpiresAt, expiresOn, 0]);
      const issued = [grantId, clientId, userId, scope];
      const accessRow = [access, 'access', ...issued, accessExpiresAt];
      await raw.run(issue.tokens, [...accessRow, refresh, 'refresh', ...issued, refreshExpiresAt]);
      return true;
    },
    async check({ access }) {
      const [row] = await raw.find(check, [access]);
      return row;
    },
  };
  return { title, store: new TypeOrmStore(source, { clients, users, prefix }), floor, close };

  async function close() {
    await raw.close();
    await source.undoLastMigration();
    await source.query(`DROP TABLE ${prefix}migrations`);
    await source.destroy();
    if (folder) rmSync(folder, { recursive: true });
  }
}

function statements(placeholder) {
  const values = (count, from = 1) =>
    `(${Array.from({ length: count }, (_, index) => placeholder(from + index)).join(', ')})`;
  return {
    issue: {
      grant: `INSERT INTO ${prefix}grants (id, client_id, user_id, scope, created_at, last_used_at, expires_at, expires_on,
        client_generation) VALUES ${values(9)}`,
      tokens: `INSERT INTO ${prefix}tokens (digest, kind, grant_id, client_id, user_id, scope, expires_at)
        VALUES ${values(7)}, ${values(7, 8)}`,
    },
    check: `SELECT t.* FROM ${prefix}tokens t JOIN ${prefix}grants g ON g.id = t.grant_id
      WHERE t.digest = ${placeholder(1)} AND t.kind = 'access' AND g.revoked_at IS NULL`,
  };
}

function sqliteFile() {
  const folder = mkdtempSync(join(tmpdir(), 'nest-oauth2-bench-'));
  return { type: 'better-sqlite3', driver: libsql, database: join(folder, 'oauth.sqlite'), enableWAL: true, folder };
}

async function sqlite({ database }) {
  const connection = new libsql(database);
  const prepared = new Map();
  const prepare = (text) => prepared.get(text) ?? prepared.set(text, connection.prepare(text)).get(text);
  return {
    run: (text, values) => prepare(text).run(values),
    find: (text, values) => prepare(text).all(values),
    close: () => connection.close(),
  };
}

async function postgres({ url }) {
  const { Pool } = (await import('pg')).default;
  const pool = new Pool({ connectionString: url });
  const names = new Map();
  const query = (text, values) => {
    if (!names.has(text)) names.set(text, `floor-${names.size}`);
    return pool.query({ name: names.get(text), text, values });
  };
  return { run: query, find: async (text, values) => (await query(text, values)).rows, close: () => pool.end() };
}

async function mariadb({ url }) {
  const { createPool } = await import('mysql2/promise');
  const pool = createPool(url);
  const execute = async (text, values) => (await pool.execute(text, values))[0];
  return { run: execute, find: execute, close: () => pool.end() };
}
