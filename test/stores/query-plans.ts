import type { DataSource } from 'typeorm';

import type { Recorded } from './published-versions.js';

/** Returns the tables that a statement reads completely instead of using an index. Empty if it uses indexes only. */
export type FindScans = (source: DataSource, statement: Recorded, tables: readonly string[]) => Promise<string[]>;

interface PostgresNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Recheck Cond'?: string;
  Plans?: PostgresNode[];
}

/** PostgreSQL plans a prepared statement with its values first, and later without them. */
const ofPostgres: FindScans = async (source, { text, values }, tables) => {
  const runner = source.createQueryRunner();
  const scans: string[] = [];
  try {
    const name = `plan_${Math.random().toString(36).slice(2)}`;
    await runner.query(`PREPARE ${name} AS ${text}`);
    const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await runner.query(`SET plan_cache_mode = ${mode}`);
      const rows = (await runner.query(`EXPLAIN (FORMAT JSON) EXECUTE ${name}${given}`)) as Record<string, unknown>[];
      const [{ Plan }] = rows[0]!['QUERY PLAN'] as [{ Plan: PostgresNode }];
      for (const node of nodesOf(Plan)) {
        const { 'Node Type': type, 'Relation Name': table = '' } = node;
        const isSearch = node['Index Cond'] !== undefined || node['Recheck Cond'] !== undefined;
        if (tables.includes(table) && /Scan/.test(type) && !isSearch) scans.push(`${mode}: ${type} of ${table}`);
      }
    }
    await runner.query(`DEALLOCATE ${name}`);
  } finally {
    await runner.query('RESET plan_cache_mode');
    await runner.release();
  }
  return scans;
};

const nodesOf = (node: PostgresNode): PostgresNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const literal = (value: unknown) => (value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`);

/** MariaDB: `ALL` reads the whole table, `index` the whole index. */
const ofMariaDb: FindScans = async (source, { text, values }) => {
  const rows = await source.query<{ table: string | null; type: string; select_type: string }[]>(
    `EXPLAIN ${text}`,
    values,
  );
  return rows
    .filter(({ table, type, select_type: kind }) => {
      const isTable = table !== null && !table.startsWith('<') && kind !== 'INSERT';
      return isTable && ['ALL', 'index'].includes(type);
    })
    .map(({ table, type }) => `${type} of ${table}`);
};

/** SQLite: `SEARCH` uses an index for a condition, `SCAN` does not. */
const ofSqlite: FindScans = async (source, { text, values }, tables) => {
  const rows = await source.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${text}`, values);
  const names = [...tables, 't', 'g', 'c'];
  return rows.map(({ detail }) => detail).filter((detail) => names.includes(/^SCAN (\w+)/.exec(detail)?.[1] ?? ''));
};

export const FIND_SCANS: Record<string, FindScans> = { PostgreSQL: ofPostgres, MariaDB: ofMariaDb, SQLite: ofSqlite };

/** Queries whose rows have a column `n` from 1 to `count`. */
export const NUMBERS: Record<string, (count: number) => string> = {
  PostgreSQL: (count) => `SELECT n FROM generate_series(1, ${count}) AS n`,
  MariaDB: (count) => `SELECT seq AS n FROM seq_1_to_${count}`,
  SQLite: (count) =>
    `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s`,
};
