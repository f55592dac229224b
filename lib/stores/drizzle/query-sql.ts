import { sql, type SQL } from 'drizzle-orm';

import type { Statement } from '../sql/connections.js';

/** Returns a statement as SQL of Drizzle. The text has `?` or `$1` only as placeholders. */
export function querySql({ text, values }: Statement): SQL {
  const chunks: SQL[] = [];
  let index = 0;
  for (const part of text.split(/\?|\$\d+/)) {
    chunks.push(sql.raw(part));
    if (index < values.length) chunks.push(sql`${sql.param(values[index++])}`);
  }
  return sql.join(chunks);
}
