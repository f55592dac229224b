import { readFileSync } from 'node:fs';
import mysql from 'mysql2/promise';
import { oauthEntities, TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import { DataSource } from 'typeorm';
import { urls } from '../stores/typeorm.js';
import { CLIENTS, GRANTS_PER_USER, measureOperations } from './operations.js';

// The rows that each statement reads and writes, by the handler counters of the session.

export const title = 'MariaDB';
export const columns = { read: 'rows read', written: 'rows written' };

const DAY = 86_400_000;
const COUNTERS = `SELECT VARIABLE_NAME AS name, CAST(VARIABLE_VALUE AS DOUBLE) AS value FROM
  information_schema.SESSION_STATUS WHERE VARIABLE_NAME LIKE 'HANDLER_%'`;

const users = { findById: (id) => ({ id }), findByCredentials: () => undefined };
const digest = (text) =>
  `REPLACE(REPLACE(TRIM(TRAILING '=' FROM TO_BASE64(UNHEX(SHA2(CONCAT(${text}), 256)))), '+', '-'), '/', '_')`;
const difference = (after, before) =>
  Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]));
const databaseOf = (rows) => `nest_oauth2_rows_${rows}`;

/** Creates the tables in a database of their own, with this number of tokens and half as many grants. */
async function fill(rows) {
  const database = databaseOf(rows);
  const connection = await mysql.createConnection({ uri: urls.mariadb, multipleStatements: true });
  await connection.query(
    `DROP DATABASE IF EXISTS ${database}; CREATE DATABASE ${database} CHARACTER SET utf8mb4; USE ${database}`,
  );
  await connection.query(readFileSync(new URL('../../docs/schema/mariadb.sql', import.meta.url), 'utf8'));
  const grants = rows / 2;
  const expiresAt = Date.now() + 14 * DAY;
  const owner = (number) =>
    `CONCAT('client', ${number} % ${CLIENTS}), CONCAT('user', ${number} % ${Math.ceil(grants / GRANTS_PER_USER)})`;
  await connection.query(
    `INSERT INTO oauth_clients SELECT CONCAT('client', seq), '[]', '{"grants":["client_credentials"]}', 0, 0
      FROM seq_0_to_${CLIENTS - 1}`,
  );
  // A table of its own, because sorting the wide rows of `seq_…` silently lost most of them on MariaDB 10.11.
  await connection.query(
    `CREATE TEMPORARY TABLE numbers (n INT PRIMARY KEY) SELECT seq AS n FROM seq_0_to_${rows - 1}`,
  );
  // InnoDB stores rows in the order of the primary key. Sorted rows fill one page after the other.
  await connection.query(
    `INSERT INTO oauth_grants (id, client_id, user_id, kind, scope, created_at, last_used_at, expires_at, expires_on, client_generation)
      SELECT ${digest("'grant', n")} AS id, ${owner('n')}, 'tokens', 'read', 0, ${expiresAt} + n, ${expiresAt} + n,
        (${expiresAt} + n) DIV ${DAY}, 0 FROM numbers WHERE n < ${grants} ORDER BY id`,
  );
  await connection.query(
    `INSERT INTO oauth_tokens (digest, kind, grant_id, client_id, user_id, scope, data, expires_at)
      SELECT ${digest("'token', n")} AS digest, IF(n % 2 = 0, 'access', 'refresh'), ${digest("'grant', n DIV 2")},
        ${owner('(n DIV 2)')}, 'read', '{}', ${expiresAt} + n FROM numbers ORDER BY digest`,
  );
  await connection.query('ANALYZE TABLE oauth_clients, oauth_grants, oauth_tokens');
  const [sizes] = await connection.query(
    `SELECT TABLE_NAME AS name, DATA_LENGTH AS bytes, INDEX_LENGTH AS indexes FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = ? ORDER BY 1`,
    [database],
  );
  await connection.end();
  return sizes;
}

/** Measures each operation on one connection, without the counters' own statement. */
async function explain(rows) {
  const url = new URL(urls.mariadb);
  url.pathname = databaseOf(rows);
  const source = new DataSource({ type: 'mariadb', url: url.href, poolSize: 1, entities: oauthEntities() });
  await source.initialize();
  const count = async () => {
    const counters = await source.query(COUNTERS);
    const sumOf = (pattern) =>
      counters.reduce((sum, { name, value }) => (pattern.test(name) ? sum + Number(value) : sum), 0);
    return {
      read: sumOf(/^HANDLER_READ_(?!RETRY)/),
      written: sumOf(/^HANDLER_(WRITE|UPDATE|DELETE)$/),
    };
  };
  await count();
  const first = await count();
  const own = difference(await count(), first);
  const measured = await measureOperations(new TypeOrmStore(source, { users }), async (run) => {
    const before = await count();
    const result = await run();
    return { result, values: difference(difference(await count(), before), own) };
  });
  await source.destroy();
  return measured;
}

export async function measureRows(rows) {
  const sizes = await fill(rows);
  return { sizes, measured: await explain(rows) };
}

export async function drop(rows) {
  const connection = await mysql.createConnection(urls.mariadb);
  await connection.query(`DROP DATABASE IF EXISTS ${databaseOf(rows)}`);
  await connection.end();
}
