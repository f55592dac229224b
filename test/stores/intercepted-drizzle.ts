import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import type { Pool as MysqlPool } from 'mysql2/promise';
import { type DrizzleServerDatabase, DrizzleStore, type DrizzleStoreOptions } from 'nest-oauth2/stores/drizzle';
import type { Pool } from 'pg';

import { openDrizzle } from './sql-libraries.js';
import { type TestDatabase, users } from './typeorm-databases.js';

/** Is called instead of each statement. `send()` sends the statement, and `text` contains its SQL and its values. */
type Interceptor = (send: () => PromiseLike<unknown>, text: string) => Promise<unknown>;

/** Opens a Drizzle store whose statements pass through an interceptor. `onConnect` is called before each. */
export async function openIntercepted(
  database: TestDatabase,
  options: Omit<DrizzleStoreOptions, 'users'>,
  intercept: Interceptor,
  onConnect: () => void = () => undefined,
): Promise<{ store: DrizzleStore; close(): Promise<unknown> }> {
  const { dispose: _, ...location } = database.options();
  const { db, close } = await openDrizzle(location);
  const pool = db.$client as unknown as { query(...given: unknown[]): Promise<unknown> };
  // Every connection is free at once. The real pool chooses one when the interceptor sends the statement.
  const query = (...given: unknown[]) => intercept(() => pool.query(...given), JSON.stringify(given));
  const connect = () => {
    onConnect();
    return Promise.resolve({ query, release: () => undefined });
  };
  const client = { connect, getConnection: connect, waitingCount: 0 };
  const intercepted: DrizzleServerDatabase =
    location.type === 'postgres'
      ? drizzlePg(Object.assign(client, { getConnection: undefined }) as unknown as Pool)
      : drizzleMysql(client as unknown as MysqlPool);
  return { store: new DrizzleStore(intercepted, { users, ...options }), close };
}
