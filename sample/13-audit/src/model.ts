import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import type { DataSource } from 'typeorm';

const alice = { id: '1', username: 'alice' };

/** In a system of your own the users are in a table, and passwords are hashed: see 03-typeorm-postgres. */
const users = {
  findById: (id: string) => id === alice.id && alice,
  findByCredentials: (name: string, password: string) => name === 'alice' && password === 'wonderland' && alice,
};

export async function openStore(database: DataSource): Promise<TypeOrmStore> {
  const store = new TypeOrmStore(database, { users });
  await store.saveClient({
    id: 'demo',
    secret: 'demo-secret',
    // `password` keeps the lines to paste short; an application with a browser uses `authorization_code`.
    grants: ['password', 'refresh_token'],
    scopes: ['notes'],
  });
  await store.saveClient({
    id: 'auditor',
    secret: 'auditor-secret',
    grants: ['client_credentials'],
    scopes: ['audit:read'],
  });
  return store;
}
