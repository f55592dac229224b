import { dayOf } from '../contract/schema.js';
import type { GrantRow } from '../contract/storage.js';
import { rawSql, type Sql, sql } from './sql.js';

/**
 * Returns SQL for the assignments that extend a grant: the time of use, and a later expiry.
 * @param to prefix of the columns that are assigned
 * @param from prefix of the columns that are read
 */
export function grantExtension({ lastUsedAt, expiresAt }: GrantRow, to: '' | 'g.', from: '' | 'g.'): Sql {
  const later = (column: string, value: number) => {
    const [left, right] = [rawSql(to + column), rawSql(from + column)];
    return sql`${left} = CASE WHEN ${right} < ${value} THEN ${value} ELSE ${right} END`;
  };
  const lastUsed = sql`${rawSql(to)}last_used_at = COALESCE(${lastUsedAt}, ${rawSql(from)}last_used_at)`;
  return sql`${lastUsed}, ${later('expires_at', expiresAt)}, ${later('expires_on', dayOf(expiresAt))}`;
}
