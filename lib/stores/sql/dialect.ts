/** The SQL of a database. MariaDB has the dialect `mysql`. */
export type Dialect = 'postgresql' | 'mysql' | 'sqlite';
