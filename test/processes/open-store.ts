import type { DataSourceOptions } from 'typeorm';

import type { RefreshTokenReuseInterval } from '../../lib/options/reuse-interval.js';
import type { StoreOptions } from '../../lib/stores/index.js';
import type { RedisStore } from '../../lib/stores/redis/index.js';
import type { TypeOrmStore } from '../../lib/stores/typeorm/index.js';

/** The database in which the application stores what must survive. */
export interface DatabaseLocation {
  prefix: string;
  redis?: string;
  database?: DataSourceOptions;
  /** The library that the store uses instead of TypeORM. */
  library?: 'Drizzle' | 'Prisma' | undefined;
  /** How long refresh requests may be repeated. If omitted, they may not. */
  refreshTokenReuseInterval?: RefreshTokenReuseInterval;
}

/** A deadline in seconds, long enough for a busy machine. */
const DEADLINE = 30;

/** Opens the store. Loads only its library, because the tests start many processes. */
export async function openStore(
  { prefix, redis, database, library }: DatabaseLocation,
  more: Pick<StoreOptions, 'clients' | 'users'>,
): Promise<RedisStore | TypeOrmStore> {
  const options = { ...more, prefix, deadline: DEADLINE };
  if (redis) {
    const [{ Redis }, stores] = await Promise.all([import('ioredis'), import('../../lib/stores/redis/index.js')]);
    return new stores.RedisStore({ client: new Redis(redis), ...options });
  }
  if (library === 'Drizzle') {
    const { DrizzleStore } = await import('../../lib/stores/drizzle/index.js');
    const { openDrizzle } = await import('../stores/sql-libraries.js');
    return new DrizzleStore((await openDrizzle(database!)).db, options);
  }
  if (library === 'Prisma') {
    const { PrismaStore } = await import('../../lib/stores/prisma/index.js');
    const { openPrisma } = await import('../stores/prisma-client.js');
    return new PrismaStore((await openPrisma(database!)).db, options);
  }
  const { DataSource } = await import('typeorm');
  const { oauthEntities, TypeOrmStore } = await import('../../lib/stores/typeorm/index.js');
  const { default: libsql } = await import('libsql');
  // A driver cannot be passed as JSON.
  const driver = database!.type === 'better-sqlite3' ? { driver: libsql } : {};
  const source = new DataSource({ ...database!, ...driver, entities: oauthEntities({ prefix }) });
  return new TypeOrmStore(await source.initialize(), options);
}
