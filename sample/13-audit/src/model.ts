import { TypeOrmStore } from 'nest-oauth2/stores/typeorm';
import type { DataSource } from 'typeorm';

const alice = { id: '1', username: 'alice' };

/** The users of this demo. In production, store users in a table and hash passwords, as in 03-typeorm-postgres. */
const users = {
  findById: (id: string) => id === alice.id && alice,
  findByCredentials: (name: string, password: string) => name === 'alice' && password === 'wonderland' && alice,
};

export async function openStore(database: DataSource): Promise<TypeOrmStore> {
  const store = new TypeOrmStore(database, { users });
  await store.saveClient({
    id: 'demo',
    secret: 'demo-secret',
    // The `password` grant keeps the curl commands short. Applications with a browser use `authorization_code`.
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
