import { hash } from 'node:crypto';

/** Returns the name of an index as TypeORM derives it from the table and the columns. */
export const indexName = (table: string, ...columns: readonly string[]) =>
  `IDX_${hash('sha1', [table, ...columns.toSorted()].join('_'), 'hex').slice(0, 26)}`;
