import { DataSource, type DataSourceOptions } from 'typeorm';

import { ownPrefix, type TestDatabase } from './typeorm-databases.js';

let opened = 0;

/**
 * Calls `work` with the options of a database without tables: a new file, a new schema on PostgreSQL, a new database on
 * MariaDB. Drops it afterwards.
 */
export async function withEmptyDatabase<T>(
  { options }: TestDatabase,
  work: (options: DataSourceOptions) => Promise<T>,
): Promise<T> {
  const { dispose, ...given } = options();
  try {
    if (given.type !== 'postgres' && given.type !== 'mariadb') return await work(given);
    const name = ownPrefix(`empty${opened++}`);
    const [kind, drop] =
      given.type === 'postgres' ? ['SCHEMA', `SCHEMA ${name} CASCADE`] : ['DATABASE', `DATABASE ${name}`];
    const source = await new DataSource(given).initialize();
    try {
      await source.query(`CREATE ${kind} ${name}`);
      return await work(within(given, name));
    } finally {
      await source.query(`DROP ${drop}`);
      await source.destroy();
    }
  } finally {
    dispose?.();
  }
}

function within(given: DataSourceOptions, name: string): DataSourceOptions {
  const { url, extra } = given as unknown as { url: string; extra: { options?: string } };
  const location = new URL(url);
  if (given.type === 'mariadb') location.pathname = `/${name}`;
  const options = `${extra.options ?? ''} -c search_path=${name}`;
  return {
    ...given,
    url: location.href,
    ...(given.type === 'postgres' && { extra: { ...extra, options } }),
  } as DataSourceOptions;
}
