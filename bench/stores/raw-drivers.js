import libsql from 'libsql';

/** The drivers alone: prepared statements that issue a token in one step, and check it. */
export const drivers = { sqlite, postgres, mariadb };

const numbered = (index) => `$${index}`;
const unnumbered = () => '?';
const GRANT =
  'id, client_id, user_id, kind, scope, data, created_at, last_used_at, expires_at, expires_on, client_generation, revoked_at';
const TOKEN = 'digest, kind, grant_id, client_id, user_id, scope, data, expires_at, revoked_at';

const insertGrant = (prefix, placeholder) =>
  `INSERT INTO ${prefix}grants (${GRANT}) VALUES ${values(12, 1, placeholder)}`;
const insertTokens = (prefix, placeholder, from = 1) =>
  `INSERT INTO ${prefix}tokens (${TOKEN}) VALUES ${values(9, from, placeholder)}, ${values(9, from + 9, placeholder)}`;
const findToken = (
  prefix,
  placeholder,
) => `SELECT t.* FROM ${prefix}tokens t JOIN ${prefix}grants g ON g.id = t.grant_id
  WHERE t.digest = ${placeholder(1)} AND t.kind = 'access' AND g.revoked_at IS NULL`;

function values(count, from, placeholder) {
  return `(${Array.from({ length: count }, (_, index) => placeholder(from + index)).join(', ')})`;
}

async function sqlite({ database }) {
  const connection = new libsql(database);
  // Equal to the durability of the store.
  connection.exec('PRAGMA synchronous = FULL');
  const prepared = new Map();
  const prepare = (text) => prepared.get(text) ?? prepared.set(text, connection.prepare(text)).get(text);
  return {
    async issue(prefix, grant, tokens) {
      prepare('BEGIN IMMEDIATE').run();
      prepare(insertGrant(prefix, unnumbered)).run(grant);
      prepare(insertTokens(prefix, unnumbered)).run(tokens);
      prepare('COMMIT').run();
      return true;
    },
    check: async (prefix, access) => prepare(findToken(prefix, unnumbered)).all([access])[0],
    close: async () => connection.close(),
  };
}

async function postgres({ url }) {
  const { Pool } = (await import('pg')).default;
  const pool = new Pool({ connectionString: url });
  return {
    async issue(prefix, grant, tokens) {
      const text = `WITH g AS (${insertGrant(prefix, numbered)}) ${insertTokens(prefix, numbered, 13)}`;
      await pool.query({ name: 'floor-issue', text, values: [...grant, ...tokens] });
      return true;
    },
    async check(prefix, access) {
      const { rows } = await pool.query({ name: 'floor-check', text: findToken(prefix, numbered), values: [access] });
      return rows[0];
    },
    close: () => pool.end(),
  };
}

async function mariadb({ url }) {
  const { createPool } = await import('mysql2/promise');
  const pool = createPool(url);
  return {
    async issue(prefix, grant, tokens) {
      const connection = await pool.getConnection();
      await connection.query('START TRANSACTION');
      await connection.execute(insertGrant(prefix, unnumbered), grant);
      await connection.execute(insertTokens(prefix, unnumbered), tokens);
      await connection.query('COMMIT');
      connection.release();
      return true;
    },
    check: async (prefix, access) => (await pool.execute(findToken(prefix, unnumbered), [access]))[0][0],
    close: () => pool.end(),
  };
}
