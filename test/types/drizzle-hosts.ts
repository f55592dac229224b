import type { Client } from '@libsql/client';
import { expectTypeOf } from 'expect-type';
import { drizzle as drizzleLibsql } from 'drizzle-orm/libsql';
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { DrizzleStore, oauthTables } from 'nest-oauth2/stores/drizzle';

// Databases of each driver, with and without a schema, need no type argument.

const users = { findByCredentials: () => null, findById: () => null };
const accounts = pgTable('accounts', { id: text('id').primaryKey() });

export function stores(client: Client) {
  const schema = { accounts, ...oauthTables('postgresql', { prefix: 'sso_' }) };
  return [
    new DrizzleStore(drizzlePg('postgres://localhost/app', { schema }), { users, prefix: 'sso_', deadline: 5 }),
    new DrizzleStore(drizzlePg('postgres://localhost/app'), { users }),
    new DrizzleStore(drizzleMysql('mysql://localhost/app'), { users, clients: { findById: () => null } }),
    new DrizzleStore(drizzleLibsql(client), { users, rememberSecretsFor: 0 }),
  ];
}

export async function queries() {
  const { oauthGrants } = oauthTables('postgresql');
  const [grant] = await drizzlePg('postgres://localhost/app').select().from(oauthGrants);
  expectTypeOf(grant!.createdAt).toEqualTypeOf<number>();
  expectTypeOf(grant!.userId).toEqualTypeOf<string | null>();
}

export function mistakes(client: Client) {
  // @ts-expect-error the options need `users`
  const withoutUsers = new DrizzleStore(drizzleLibsql(client), {});
  // @ts-expect-error the client of the driver is no database of Drizzle
  const withoutDrizzle = new DrizzleStore(client, { users });
  // @ts-expect-error unknown database
  oauthTables('oracle');
  return [withoutUsers, withoutDrizzle];
}
