import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';

/**
 * Sets the environment of two written applications, and creates the database of the first one.
 * @param users the SQL that creates the table of users
 * @returns the open connection to the database
 */
export async function createShopDatabase(drizzle: string, typeorm: string, users: string): Promise<Client> {
  const url = `file:${join(drizzle, 'shop.sqlite')}`;
  Object.assign(process.env, {
    OAUTH2_SECRET: 'a'.repeat(43),
    OAUTH2_ISSUER: 'http://localhost:4000',
    SHOP_DATABASE: url,
    SHOP_DATABASE_FILE: join(typeorm, 'shop.sqlite'),
  });
  const client = createClient({ url });
  await client.executeMultiple(users + (await readFile('docs/schema/sqlite.sql', 'utf8')));
  return client;
}
