import type { DataSource, QueryRunner } from 'typeorm';

/** The character set and the collation of a column, for the `columns` of a `Table`. */
export interface ColumnCollation {
  charset?: string;
  collation?: string;
}

/**
 * Returns a collation that compares texts exactly, for the columns of user names and e-mail addresses in a migration.
 * The default collation of MariaDB and MySQL treats `victim@exàmple.com` and `victim@example.com` as equal, and their
 * collations with padding ignore trailing spaces. PostgreSQL and SQLite compare exactly, so the result is empty there.
 */
export async function exactCollation(runner: QueryRunner): Promise<ColumnCollation> {
  if (!['mysql', 'mariadb'].includes(dataSourceOf(runner).options.type)) return {};
  const [{ version }] = (await runner.query('SELECT VERSION() AS version')) as [{ version: string }];
  const collation = /mariadb/i.test(version) ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  return { charset: 'utf8mb4', collation: version.startsWith('5.') ? 'utf8mb4_bin' : collation };
}

/** Returns the `DataSource` of a query runner. TypeORM 1 renamed the property. */
export function dataSourceOf(runner: QueryRunner): DataSource {
  return (runner as { dataSource?: DataSource }).dataSource ?? runner.connection;
}
