/** The SQL of a database. MariaDB has the dialect `mysql`. */
export type Dialect = 'postgresql' | 'mysql' | 'sqlite';

/** Returns a name of a table, quoted and escaped for SQL. */
export function escapeName(dialect: Dialect, name: string): string {
  const quote = dialect === 'mysql' ? '`' : '"';
  return quote + name.replaceAll(quote, quote + quote) + quote;
}
