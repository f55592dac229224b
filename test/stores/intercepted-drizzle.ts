import type { SQL } from 'drizzle-orm';
import { type DrizzleServerDatabase, DrizzleStore, type DrizzleStoreOptions } from 'nest-oauth2/stores/drizzle';

import { openDrizzle } from './sql-libraries.js';
import { type TestDatabase, users } from './typeorm-databases.js';

/** Is called instead of each statement. `send()` sends the statement, and `text` contains its SQL and its values. */
type Interceptor = (send: () => PromiseLike<unknown>, text: string) => Promise<unknown>;

/** Opens a Drizzle store whose statements pass through an interceptor. */
export async function openIntercepted(
  database: TestDatabase,
  options: Omit<DrizzleStoreOptions, 'users'>,
  intercept: Interceptor,
): Promise<{ store: DrizzleStore; close(): Promise<unknown> }> {
  const { dispose: _, ...location } = database.options();
  const { db, close } = await openDrizzle(location);
  const execute = (query: SQL) =>
    intercept(() => (db as DrizzleServerDatabase).execute(query), JSON.stringify(query.queryChunks));
  const intercepted = new Proxy(db, {
    get: (target, name) => (name === 'execute' ? execute : Reflect.get(target, name)),
  });
  return { store: new DrizzleStore(intercepted, { users, ...options }), close };
}
